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
Point(1) = {0, 0, 0, h};
Point(2) = {L, 0, 0, h};
Point(3) = {L, B, 0, h};
Point(4) = {0, B, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
side[] = Extrude {0, 0, 1} { Surface{1}; };
Rotate {{0, 1, 0}, {0, 0, 0}, pitch * Pi / 180} { Volume{side[1]}; }
Rotate {{0, 0, 1}, {0, 0, 0}, yaw * Pi / 180} { Volume{side[1]}; }
Physical Surface("bottom") = {1};
Physical Surface("top") = {side[0]};
Physical Surface("front") = {side[2]};
Physical Surface("right") = {side[3]};
Physical Surface("back") = {side[4]};
Physical Surface("left") = {side[5]};
Physical Volume("domain") = {side[1]};
