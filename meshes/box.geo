// SPDX-License-Identifier: GPL-3.0-or-later
// box.geo -- box 0 <= x <= W, 0 <= y <= H (dimensionless), unstructured.
//
// Parameters: W  width
//             H  height
//             h  size of the sides
// Groups:     bottom (y = 0), side (x = 0 and x = W), top (y = H)
DefineConstant[
  W = {1, Name "Parameters/W"},
  H = {1, Name "Parameters/H"},
  h = {0.1, Name "Parameters/h"}
];
Point(1) = {0, 0, 0, h};
Point(2) = {W, 0, 0, h};
Point(3) = {W, H, 0, h};
Point(4) = {0, H, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
Physical Curve("bottom") = {1};
Physical Curve("side") = {2, 4};
Physical Curve("top") = {3};
Physical Surface("domain") = {1};
