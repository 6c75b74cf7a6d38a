// SPDX-License-Identifier: GPL-3.0-or-later
// pipe.geo -- meridian of a round pipe: 0 <= r <= 1 (x = r), 0 <= z <= L (y = z), dimensionless.
//
// Parameters: L           length
//             n           cells over the radius
//             structured  1: n cells over the radius, uniform, diagonals alternate
//                         0: unstructured, with the same n uniform edges on both ends
// Groups:     axis (r = 0), wall (r = 1), inlet (z = 0), outlet (z = L)
DefineConstant[
  L = {1, Name "Parameters/L"},
  n = {8, Name "Parameters/n"},
  structured = {0, Name "Parameters/structured"}
];
h = 1 / n;
along = Max(1, Round(L / h)); // cells along the pipe, as nearly square as they can be
Point(1) = {0, 0, 0, h};
Point(2) = {1, 0, 0, h};
Point(3) = {1, L, 0, h};
Point(4) = {0, L, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = n + 1;
Transfinite Curve{2, 4} = along + 1;
If(structured)
  Transfinite Surface{1} AlternateRight;
EndIf
Physical Curve("inlet") = {1};
Physical Curve("wall") = {2};
Physical Curve("outlet") = {3};
Physical Curve("axis") = {4};
Physical Surface("domain") = {1};
