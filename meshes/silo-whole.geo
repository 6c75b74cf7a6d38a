// SPDX-License-Identifier: GPL-3.0-or-later
// silo-whole.geo -- a plane silo -W/2 <= x <= W/2, 0 <= y <= H, outlet in the middle of its bottom: one geometry for
// grains (its bottom is a wall) and for a continuum.
//
// Parameters: D  width of the outlet
//             W  width of the silo
//             H  height of the filling
//             h  size of the sides far from the outlet
//             across  sides across the outlet
// Groups:     outlet (y = 0, |x| <= D/2), bottom (the rest of it), left, right, top (y = H)
DefineConstant[
  D = {6, Name "Parameters/D"},
  W = {20, Name "Parameters/W"},
  H = {24, Name "Parameters/H"},
  h = {2, Name "Parameters/h"},
  across = {6, Name "Parameters/across"}
];
fine = D / across;
Point(1) = {-W / 2, 0, 0, h};
Point(2) = {-D / 2, 0, 0, fine};
Point(3) = {D / 2, 0, 0, fine};
Point(4) = {W / 2, 0, 0, h};
Point(5) = {W / 2, H, 0, h};
Point(6) = {-W / 2, H, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 1};
Curve Loop(1) = {1 : 6};
Plane Surface(1) = {1};
Physical Curve("bottom") = {1, 3};
Physical Curve("outlet") = {2};
Physical Curve("right") = {4};
Physical Curve("left") = {6};
Physical Curve("top") = {5};
Physical Surface("grains") = {1};
