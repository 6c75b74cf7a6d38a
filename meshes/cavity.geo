// SPDX-License-Identifier: GPL-3.0-or-later
// cavity.geo -- unit square 0 <= x, y <= 1 under a lid (dimensionless).
//
// Parameters: structured  0: unstructured, with sides of about h
//                         1: n by n cells, uniform, diagonals alternate
//             h           size of the sides, when structured is 0
//             n           cells over the height, when structured is 1
// Groups:     lid (y = 1), wall (the other three sides)
DefineConstant[
  h = {0.1, Name "Parameters/h"},
  n = {10, Name "Parameters/n"},
  structured = {0, Name "Parameters/structured"}
];
Point(1) = {0, 0, 0, h};
Point(2) = {1, 0, 0, h};
Point(3) = {1, 1, 0, h};
Point(4) = {0, 1, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
If(structured)
  Transfinite Curve{1 : 4} = n + 1;
  Transfinite Surface{1} AlternateRight;
EndIf
Physical Curve("lid") = {3};
Physical Curve("wall") = {1, 2, 4};
Physical Surface("domain") = {1};
