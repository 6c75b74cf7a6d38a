// SPDX-License-Identifier: GPL-3.0-or-later
// film.geo -- a layer on a slope, in the frame of the slope: 0 <= x <= L downhill, 0 <= y <= 1 from
// the bottom to the free surface (depth 1; dimensionless).
//
// Parameters: L           length
//             n           cells over the depth
//             structured  1: n cells over the depth, uniform, diagonals alternate
//                         0: unstructured, with the same n uniform edges on left and right
// Groups:     bottom (y = 0), top (y = 1), left (x = 0), right (x = L)
DefineConstant[
  L = {1, Name "Parameters/L"},
  n = {8, Name "Parameters/n"},
  structured = {1, Name "Parameters/structured"}
];
h = 1 / n;
along = Max(1, Round(L / h)); // cells along the slope, as nearly square as they can be
Point(1) = {0, 0, 0, h};
Point(2) = {L, 0, 0, h};
Point(3) = {L, 1, 0, h};
Point(4) = {0, 1, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = along + 1;
Transfinite Curve{2, 4} = n + 1;
If(structured)
  Transfinite Surface{1} AlternateRight;
EndIf
Physical Curve("bottom") = {1};
Physical Curve("right") = {2};
Physical Curve("top") = {3};
Physical Curve("left") = {4};
Physical Surface("domain") = {1};
