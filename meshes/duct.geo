// SPDX-License-Identifier: GPL-3.0-or-later
// duct.geo -- a quarter of a square duct in space: 0 <= x <= 1, 0 <= y <= 1, 0 <= z <= L, with the
// planes of symmetry x = 0 and y = 0 (half width 1; dimensionless).
//
// Parameters: L  length
//             h  size of the sides
// Groups:     symmetry (x = 0 and y = 0), wall (x = 1 and y = 1), inlet (z = 0), outlet (z = L)
DefineConstant[
  L = {0.3, Name "Parameters/L"},
  h = {0.2, Name "Parameters/h"}
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
side[] = Extrude {0, 0, L} { Surface{1}; };
Physical Surface("inlet") = {1};
Physical Surface("outlet") = {side[0]};
Physical Surface("symmetry") = {side[2], side[5]};
Physical Surface("wall") = {side[3], side[4]};
Physical Volume("domain") = {side[1]};
