// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a report: triangles of six nodes with a byte per value, drawn on a canvas.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const raw = bytes(data.x), place = new Uint16Array(raw.buffer, 0, raw.length / 2);
  const colour = bytes(data.colours), shades = [];
  for (let i = 0; i < 256; i++)
    shades.push(`rgb(${colour[3 * i]},${colour[3 * i + 1]},${colour[3 * i + 2]})`);
  for (const field of Object.values(data.fields)) field.frames = field.frames.map(bytes);
  data.flow = data.flow.map(bytes);
  const PARTS = [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]]; // corners, then middles of sides
  const canvas = find("canvas"), context = canvas.getContext("2d");
  const chosen = find("field"), slider = find("time"), arrows = find("arrows");
  const wide = data.high[0] - data.low[0], tall = data.high[1] - data.low[1];
  let name = null, frame = data.times.length - 1, scale = 1;

  for (const label of Object.keys(data.fields)) chosen.add(new Option(label, label));
  const x = (node) => place[2 * node] / 65535 * data.size, y = (node) => place[2 * node + 1] / 65535 * data.size;
  const sx = (value) => 4 + value * scale, sy = (value) => 4 + (tall - value) * scale;
  const short = (value) => Number(value.toPrecision(4)).toString();

  function resize() {
    const room = canvas.parentElement.clientWidth, ratio = window.devicePixelRatio || 1;
    const high = Math.min(window.innerHeight * 0.8, 700);
    const css = Math.min((room - 8) / wide, (high - 8) / tall);
    const width = wide * css + 8, height = tall * css + 8;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    scale = css;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw();
  }

  function triangles(values) {
    context.lineWidth = 1;
    for (let cell = 0; cell < data.cells; cell++)
      for (const part of PARTS) {
        const [a, b, c] = part.map((i) => 6 * cell + i);
        context.fillStyle = context.strokeStyle = shades[Math.round((values[a] + values[b] + values[c]) / 3)];
        context.beginPath();
        context.moveTo(sx(x(a)), sy(y(a)));
        context.lineTo(sx(x(b)), sy(y(b)));
        context.lineTo(sx(x(c)), sy(y(c)));
        context.closePath();
        context.fill();
        context.stroke();
      }
  }

  function flow(node) {
    const values = data.flow[frame];
    return [0, 1].map((i) => (values[2 * node + i] / 255 * 2 - 1) * data.fastest);
  }

  // One arrow per square of a grid, at the node that is nearest to its middle.
  function draw_arrows() {
    const size = Math.max(wide, tall) / 24, best = new Map();
    let fastest = 0;
    for (let node = 0; node < 6 * data.cells; node++) {
      const i = Math.floor(x(node) / size), j = Math.floor(y(node) / size);
      const far = Math.hypot(x(node) - (i + 0.5) * size, y(node) - (j + 0.5) * size);
      const key = i * 1000 + j;
      if (!best.has(key) || far < best.get(key)[0]) best.set(key, [far, node]);
      fastest = Math.max(fastest, Math.hypot(...flow(node)));
    }
    context.strokeStyle = "#202020";
    context.lineWidth = 1;
    for (const [, node] of best.values()) {
      const [u, v] = flow(node), speed = Math.hypot(u, v);
      if (speed < 0.01 * fastest || speed < 0.006 * data.fastest) continue;
      const long = 0.9 * size * scale * Math.sqrt(speed / fastest), dx = u / speed * long, dy = -v / speed * long;
      const ex = sx(x(node)) + dx, ey = sy(y(node)) + dy;
      context.beginPath();
      context.moveTo(sx(x(node)), sy(y(node)));
      context.lineTo(ex, ey);
      context.lineTo(ex - 0.35 * dx + 0.2 * dy, ey - 0.35 * dy - 0.2 * dx);
      context.moveTo(ex, ey);
      context.lineTo(ex - 0.35 * dx - 0.2 * dy, ey - 0.35 * dy + 0.2 * dx);
      context.stroke();
    }
  }

  function draw() {
    const field = data.fields[name];
    context.clearRect(0, 0, canvas.width, canvas.height);
    triangles(field.frames[frame]);
    if (arrows.checked) draw_arrows();
    find("when").textContent = "t = " + short(data.times[frame]);
    find("least").textContent = short(field.low);
    find("most").textContent = short(field.high);
  }

  // The value at a place, from the small triangle around it.
  function value_at(px, py) {
    const values = data.fields[name].frames[frame];
    for (let cell = 0; cell < data.cells; cell++)
      for (const part of PARTS) {
        const [a, b, c] = part.map((i) => 6 * cell + i);
        const area = (x(b) - x(a)) * (y(c) - y(a)) - (x(c) - x(a)) * (y(b) - y(a));
        const l1 = ((px - x(a)) * (y(c) - y(a)) - (x(c) - x(a)) * (py - y(a))) / area;
        const l2 = ((x(b) - x(a)) * (py - y(a)) - (px - x(a)) * (y(b) - y(a))) / area;
        if (l1 >= -1e-9 && l2 >= -1e-9 && l1 + l2 <= 1 + 1e-9)
          return (1 - l1 - l2) * values[a] + l1 * values[b] + l2 * values[c];
      }
    return null;
  }

  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect(), field = data.fields[name];
    const px = (event.clientX - box.left - 4) / scale, py = tall - (event.clientY - box.top - 4) / scale;
    const byte = value_at(px, py);
    if (byte === null) return;
    const value = field.low + byte / 255 * (field.high - field.low);
    const bound = byte >= 254.5 ? "at least " : byte <= 0.5 && field.low !== 0 ? "at most " : "";
    find("here").textContent = `${data.axes[0]} = ${short(px + data.low[0])}, ${data.axes[1]} = ` +
      `${short(py + data.low[1])}: ${name} ${bound}${short(value)}`;
  });
  chosen.addEventListener("change", () => { name = chosen.value; draw(); });
  arrows.addEventListener("change", draw);
  slider.addEventListener("input", () => { frame = Number(slider.value); draw(); });
  let timer = null;
  find("play").addEventListener("click", () => {
    if (timer !== null) {
      clearInterval(timer);
      timer = null;
    } else {
      timer = setInterval(() => {
        frame = (frame + 1) % data.times.length;
        slider.value = frame;
        draw();
      }, 250);
    }
    find("play").textContent = timer === null ? "play" : "stop";
  });
  if (data.times.length < 2) { slider.parentElement.hidden = true; find("play").hidden = true; }
  const bar = find("scale").getContext("2d");
  for (let i = 0; i < 256; i++) { bar.fillStyle = shades[i]; bar.fillRect(i, 0, 1, 12); }
  name = chosen.value;
  window.addEventListener("resize", resize);
  resize();
})();
