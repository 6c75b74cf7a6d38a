// SPDX-License-Identifier: GPL-3.0-or-later
// block.geo -- a block in space, turned: 0 <= a <= L, 0 <= b <= B, 0 <= c <= 1 along its own axes,
// rotated about the origin first by `pitch` about y, then by `yaw` about z (degrees; dimensionless).
//
// Parameters: L, B   length and width (height 1)
//             h      size of the sides
//             pitch, yaw
// Groups:     left, right (a = 0, L), front, back (b = 0, B), bottom, top (c = 0, 1)
DefineConstant[
  L = {1, Name "Parameters/L"},
  B = {0.5, Name "Parameters/B"},
  h = {0.4, Name "Parameters/h"},
  pitch = {0, Name "Parameters/pitch"},
  yaw = {0, Name "Parameters/yaw"}
];
cp = Cos(pitch * Pi / 180);
sp = Sin(pitch * Pi / 180);
cy = Cos(yaw * Pi / 180);
sy = Sin(yaw * Pi / 180);
// corner k + 1: a, b, c from the bits of k; x = c sp + a cp before yaw
For k In {0 : 7}
  a = L * (k % 2);
  b = B * (Floor(k / 2) % 2);
  c = Floor(k / 4);
  Point(k + 1) = {(a * cp + c * sp) * cy - b * sy, (a * cp + c * sp) * sy + b * cy, c * cp - a * sp, h};
EndFor
Line(1) = {1, 2};
Line(2) = {2, 4};
Line(3) = {4, 3};
Line(4) = {3, 1};
Line(5) = {5, 6};
Line(6) = {6, 8};
Line(7) = {8, 7};
Line(8) = {7, 5};
Line(9) = {1, 5};
Line(10) = {2, 6};
Line(11) = {4, 8};
Line(12) = {3, 7};
Curve Loop(1) = {1 : 4};
Curve Loop(2) = {5 : 8};
Curve Loop(3) = {1, 10, -5, -9};
Curve Loop(4) = {2, 11, -6, -10};
Curve Loop(5) = {3, 12, -7, -11};
Curve Loop(6) = {4, 9, -8, -12};
For k In {1 : 6}
  Plane Surface(k) = {k};
EndFor
Surface Loop(1) = {1 : 6};
Volume(1) = {1};
Physical Surface("bottom") = {1};
Physical Surface("top") = {2};
Physical Surface("front") = {3};
Physical Surface("right") = {4};
Physical Surface("back") = {5};
Physical Surface("left") = {6};
Physical Volume("domain") = {1};
