// SPDX-License-Identifier: GPL-3.0-or-later
// silo-quarter.geo -- a quarter of a round silo in space: x >= 0, y >= 0, x^2 + y^2 <= (W/2)^2,
// 0 <= z <= H, with the planes of symmetry x = 0 and y = 0 (dimensionless).
//
// Parameters: D  diameter of the outlet
//             W  diameter of the silo
//             H  height of the filling
//             h  size of the sides far from the outlet
//             across  so many sides across the outlet
// Groups:     symmetry, outlet (z = 0, r <= D/2), wall (bottom and side), top (z = H)
DefineConstant[
  D = {2, Name "Parameters/D"},
  W = {8, Name "Parameters/W"},
  H = {8, Name "Parameters/H"},
  h = {2, Name "Parameters/h"},
  across = {4, Name "Parameters/across"}
];
fine = D / across;
a = D / 2;
R = W / 2;
Point(1) = {0, 0, 0, fine};
Point(2) = {a, 0, 0, fine};
Point(3) = {0, a, 0, fine};
Point(4) = {R, 0, 0, h};
Point(5) = {0, R, 0, h};
Point(6) = {0, 0, H, h};
Point(7) = {R, 0, H, h};
Point(8) = {0, R, H, h};
Line(1) = {1, 2};
Circle(2) = {2, 1, 3};
Line(3) = {3, 1};
Line(4) = {2, 4};
Circle(5) = {4, 1, 5};
Line(6) = {5, 3};
Line(7) = {6, 7};
Circle(8) = {7, 6, 8};
Line(9) = {8, 6};
Line(10) = {1, 6};
Line(11) = {4, 7};
Line(12) = {5, 8};
Curve Loop(1) = {1, 2, 3};
Curve Loop(2) = {4, 5, 6, -2};
Curve Loop(3) = {7, 8, 9};
Curve Loop(4) = {1, 4, 11, -7, -10};
Curve Loop(5) = {-3, -6, 12, 9, -10};
Curve Loop(6) = {5, 12, -8, -11};
Plane Surface(1) = {1};
Plane Surface(2) = {2};
Plane Surface(3) = {3};
Plane Surface(4) = {4};
Plane Surface(5) = {5};
Surface(6) = {6};
Surface Loop(1) = {1 : 6};
Volume(1) = {1};
Physical Surface("outlet") = {1};
Physical Surface("wall") = {2, 6};
Physical Surface("top") = {3};
Physical Surface("symmetry") = {4, 5};
Physical Volume("domain") = {1};
