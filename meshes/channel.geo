// SPDX-License-Identifier: GPL-3.0-or-later
// channel.geo -- plane channel 0 <= x <= L, -1 <= y <= 1 (half height 1; dimensionless).
//
// Parameters: L           length
//             n           cells over the height
//             structured  1: n cells over the height, uniform, diagonals alternate
//                         0: unstructured, with the same n uniform edges on inlet and outlet
// Groups:     wall (y = -1 and y = 1), inlet (x = 0), outlet (x = L)
DefineConstant[
  L = {4, Name "Parameters/L"},
  n = {8, Name "Parameters/n"},
  structured = {1, Name "Parameters/structured"}
];
h = 2 / n;
along = Max(1, Round(L / h)); // cells along the channel, as nearly square as they can be
Point(1) = {0, -1, 0, h};
Point(2) = {L, -1, 0, h};
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
Physical Curve("wall") = {1, 3};
Physical Curve("inlet") = {4};
Physical Curve("outlet") = {2};
Physical Surface("domain") = {1};
