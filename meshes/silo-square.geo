// SPDX-License-Identifier: GPL-3.0-or-later
// silo-square.geo -- a quarter of a square silo with a square outlet in space: 0 <= x <= W/2,
// 0 <= y <= W/2, 0 <= z <= H, with the planes of symmetry x = 0 and y = 0 (dimensionless).
//
// Parameters: D  width of the outlet
//             W  width of the silo
//             H  height of the filling
//             h  size of the sides far from the outlet
//             across  so many sides across the outlet
// Groups:     symmetry, outlet (z = 0, x <= D/2, y <= D/2), wall (bottom and sides), top (z = H)
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
Point(3) = {a, a, 0, fine};
Point(4) = {0, a, 0, fine};
Point(5) = {R, 0, 0, h};
Point(6) = {R, R, 0, h};
Point(7) = {0, R, 0, h};
Point(8) = {0, 0, H, h};
Point(9) = {R, 0, H, h};
Point(10) = {R, R, H, h};
Point(11) = {0, R, H, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Line(5) = {2, 5};
Line(6) = {5, 6};
Line(7) = {6, 7};
Line(8) = {7, 4};
Line(9) = {8, 9};
Line(10) = {9, 10};
Line(11) = {10, 11};
Line(12) = {11, 8};
Line(13) = {1, 8};
Line(14) = {5, 9};
Line(15) = {6, 10};
Line(16) = {7, 11};
Curve Loop(1) = {1 : 4};
Curve Loop(2) = {5, 6, 7, 8, -3, -2};
Curve Loop(3) = {9 : 12};
Curve Loop(4) = {1, 5, 14, -9, -13};
Curve Loop(5) = {-4, -8, 16, 12, -13};
Curve Loop(6) = {6, 15, -10, -14};
Curve Loop(7) = {7, 16, -11, -15};
For k In {1 : 7}
  Plane Surface(k) = {k};
EndFor
Surface Loop(1) = {1 : 7};
Volume(1) = {1};
Physical Surface("outlet") = {1};
Physical Surface("wall") = {2, 6, 7};
Physical Surface("top") = {3};
Physical Surface("symmetry") = {4, 5};
Physical Volume("domain") = {1};
