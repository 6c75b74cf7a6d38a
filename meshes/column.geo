// SPDX-License-Identifier: GPL-3.0-or-later
// column.geo -- half of a plane column with a taper, symmetry axis x = 0 (dimensionless).
//
// Parameters: a  half width at the top
//             H  height
//             taper  of the wall in degrees, positive if it widens downward
//             n  sides across the half width
// Groups:     axis (x = 0), bottom, wall, top
DefineConstant[
  a = {1, Name "Parameters/a"},
  H = {12, Name "Parameters/H"},
  taper = {0.2, Name "Parameters/taper"},
  n = {4, Name "Parameters/n"}
];
h = a / n;
Point(1) = {0, 0, 0, h};
Point(2) = {a + H * Tan(taper * Pi / 180), 0, 0, h};
Point(3) = {a, H, 0, h};
Point(4) = {0, H, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
Physical Curve("bottom") = {1};
Physical Curve("wall") = {2};
Physical Curve("top") = {3};
Physical Curve("axis") = {4};
