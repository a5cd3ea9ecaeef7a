// The graph around a vertex: a picture to pan and zoom, and the same as a list.
import { get } from "./api.js";
import { button, clip, count, fill, h, place } from "./dom.js";

export function graphPicture(app, body, given) {
  const canvas = h("canvas", { class: "graph", tabindex: "0", role: "img", "aria-label": "Graph" });
  const vertex = h("input", { type: "text", value: given ?? "", placeholder: "COLLECTION/ID",
    "aria-label": "The vertex in the middle" });
  const depth = h("select", { "aria-label": "Relationships from there" },
    [1, 2, 3, 4, 5].map((number) => h("option", { value: number, selected: number === 2 },
      count(number, "step"))));
  const via = h("select", { "aria-label": "Type of relationships" });
  const weight = h("select", { "aria-label": "Weight" });
  const limit = h("select", { "aria-label": "Most vertices" },
    [100, 300, 1000, 2000].map((number) => h("option", { value: number, selected: number === 300 },
      `${number} vertices`)));
  const status = h("p", { class: "small", role: "status" });
  const legend = h("p", { class: "legend" });
  const list = h("div");
  const reload = () => app.run(load);
  for (const control of [depth, via, weight, limit]) control.addEventListener("change", reload);
  fill(body, h("h3", { id: "h-picture" }, "The graph around a vertex"),
    h("form", { class: "row", onsubmit: (event) => {
      event.preventDefault();
      reload();
    } }, vertex, h("button", { type: "submit", class: "main" }, "Show"), depth, via, weight, limit),
    status, h("div", { class: "graphbox" }, canvas,
      h("div", { class: "row over" }, button("+", () => zoomAt(1.4), { "aria-label": "Zoom in" }),
        button("−", () => zoomAt(1 / 1.4), { "aria-label": "Zoom out" }),
        button("Fit", () => fit(), { "aria-label": "Fit into the picture" }))),
    legend, list);

  let nodes = [];
  let edges = [];
  let names = [];
  let isKnown = false;
  let view = { x: 0, y: 0, scale: 1 };
  let frame = 0;
  let heat = 0;
  let hovered = null;

  async function load() {
    const answer = await get("graph", {
      vertex: vertex.value.trim(), depth: depth.value, via: via.value ? [via.value] : null,
      weight: weight.value, limit: limit.value,
    });
    if (!isKnown) {
      isKnown = true;
      fill(via, h("option", { value: "" }, "all types"),
        answer.relationships.map((one) => h("option", { value: one.name }, one.name)));
      const numbers = [...new Set(answer.relationships.flatMap((one) => one.numbers))];
      fill(weight, h("option", { value: "" }, "no weight"),
        numbers.map((name) => h("option", { value: name }, name)));
    }
    if (answer.start === null) {
      status.textContent = answer.relationships.length === 0
        ? "The store has no relationships." : "No relationship leads anywhere.";
      nodes = [];
      edges = [];
      draw();
      return;
    }
    vertex.value = `${answer.start.collection}/${answer.start.id}`;
    names = [...new Set(answer.vertices.map((one) => one.collection))].sort();
    const places = new Map();
    nodes = answer.vertices.map((one, number) => {
      // A spiral: near vertices begin near the middle, and the picture is the same each time.
      const [angle, radius] = [number * 2.39996, 14 * Math.sqrt(number)];
      const node = { ...one, x: Math.cos(angle) * radius, y: Math.sin(angle) * radius, vx: 0, vy: 0,
        hue: names.indexOf(one.collection), degree: 0 };
      places.set(`${one.collection}/${one.id}`, node);
      return node;
    });
    edges = answer.edges.map((edge) => ({
      ...edge, a: places.get(`${edge.source.collection}/${edge.source.id}`),
      b: places.get(`${edge.target.collection}/${edge.target.id}`),
    })).filter((edge) => edge.a && edge.b);
    const heaviest = Math.max(1e-9, ...edges.map((edge) => Math.abs(edge.weight ?? 1)));
    for (const edge of edges) {
      edge.width = edge.weight == null ? 1 : 0.5 + (Math.abs(edge.weight) / heaviest) * 4;
      edge.a.degree += 1;
      edge.b.degree += 1;
    }
    status.textContent = `${count(nodes.length, "vertex", "vertices")}, `
      + `${count(edges.length, "relationship")}${answer.truncated ? "; there are more" : ""}`;
    canvas.setAttribute("aria-label", `Graph around ${nodes[0].title}: ${status.textContent}. `
      + "The list below has the same. Arrow keys move it, plus and minus zoom.");
    fill(legend, names.map((name, number) => h("span", { class: "key" },
      h("i", { class: "dot", "data-hue": number % 8 }), name)));
    fill(list, h("details", { class: "facts" }, h("summary", null, "As a list"),
      h("ul", null, nodes.slice(0, 500).map((node) => h("li", null,
        h("a", { href: place("entity", node.collection, node.id) }, clip(node.title, 60)),
        ` ${node.collection}, ${count(node.depth, "step")} away, `
          + count(node.degree, "relationship"))))));
    heat = 1;
    // Most of the movement is done before the first picture.
    const rounds = nodes.length > 800 ? 40 : 120;
    for (let round = 0; round < rounds; round += 1) tick();
    fit();
    animate();
  }

  // Vertices push each other away within cells of a grid, and relationships pull: the cost of a
  // step grows with the number of vertices, not with its square.
  function tick() {
    const cell = 60;
    const grid = new Map();
    for (const node of nodes) {
      const key = `${Math.round(node.x / cell)},${Math.round(node.y / cell)}`;
      if (!grid.has(key)) grid.set(key, []);
      grid.get(key).push(node);
    }
    for (const node of nodes) {
      const [column, row] = [Math.round(node.x / cell), Math.round(node.y / cell)];
      for (let i = -1; i <= 1; i += 1) {
        for (let j = -1; j <= 1; j += 1) {
          for (const other of grid.get(`${column + i},${row + j}`) ?? []) {
            if (other === node) continue;
            const [dx, dy] = [node.x - other.x, node.y - other.y];
            const square = Math.max(20, dx * dx + dy * dy);
            node.vx += (dx / square) * 90 * heat;
            node.vy += (dy / square) * 90 * heat;
          }
        }
      }
      node.vx -= node.x * 0.004 * heat;
      node.vy -= node.y * 0.004 * heat;
    }
    for (const edge of edges) {
      const [dx, dy] = [edge.b.x - edge.a.x, edge.b.y - edge.a.y];
      const distance = Math.max(1, Math.hypot(dx, dy));
      const pull = ((distance - 46) / distance) * 0.06 * heat;
      edge.a.vx += dx * pull;
      edge.a.vy += dy * pull;
      edge.b.vx -= dx * pull;
      edge.b.vy -= dy * pull;
    }
    for (const node of nodes) {
      node.vx = Math.max(-30, Math.min(30, node.vx * 0.7));
      node.vy = Math.max(-30, Math.min(30, node.vy * 0.7));
      node.x += node.vx;
      node.y += node.vy;
    }
    heat *= 0.985;
  }

  function animate() {
    cancelAnimationFrame(frame);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return draw();
    const next = () => {
      tick();
      draw();
      if (heat > 0.06) frame = requestAnimationFrame(next);
    };
    frame = requestAnimationFrame(next);
    return undefined;
  }

  function fit() {
    if (nodes.length === 0) return;
    const xs = nodes.map((node) => node.x);
    const ys = nodes.map((node) => node.y);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    view.scale = Math.min(2.5, canvas.clientWidth / (right - left + 120),
      canvas.clientHeight / (bottom - top + 80));
    view.x = -((left + right) / 2) * view.scale;
    view.y = -((top + bottom) / 2) * view.scale;
    draw();
  }

  function zoomAt(factor, x = 0, y = 0) {
    view.x = x - (x - view.x) * factor;
    view.y = y - (y - view.y) * factor;
    view.scale *= factor;
    draw();
  }

  function draw() {
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const hues = Array.from({ length: 8 }, (_, number) => style.getPropertyValue(`--hue${number}`));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.translate(width / 2 + view.x, height / 2 + view.y);
    context.scale(view.scale, view.scale);
    context.strokeStyle = style.getPropertyValue("--line-strong");
    for (const edge of edges) {
      context.globalAlpha = hovered && edge.a !== hovered && edge.b !== hovered ? 0.15 : 0.7;
      context.lineWidth = edge.width / view.scale;
      context.beginPath();
      context.moveTo(edge.a.x, edge.a.y);
      context.lineTo(edge.b.x, edge.b.y);
      context.stroke();
    }
    context.globalAlpha = 1;
    const isFew = nodes.length <= 60 || view.scale > 1.4;
    context.font = `${12 / view.scale}px system-ui, sans-serif`;
    nodes.forEach((node, number) => {
      const radius = (number === 0 ? 9 : 4 + Math.min(5, Math.sqrt(node.degree))) / Math.max(0.6, view.scale);
      context.fillStyle = hues[node.hue % 8];
      context.beginPath();
      context.arc(node.x, node.y, radius, 0, 7);
      context.fill();
      if (number === 0 || node === hovered || isFew) {
        context.fillStyle = style.getPropertyValue("--text");
        context.fillText(clip(node.title, 28), node.x + radius + 2 / view.scale, node.y + 4 / view.scale);
      }
    });
  }

  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
  };
  const nodeAt = (event) => {
    const [x, y] = point(event);
    const [a, b] = [(x - view.x) / view.scale, (y - view.y) / view.scale];
    let best = null;
    let least = 14 / view.scale;
    for (const node of nodes) {
      const distance = Math.hypot(node.x - a, node.y - b);
      if (distance < least) [best, least] = [node, distance];
    }
    return best;
  };
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    drag = { x: event.clientX, y: event.clientY, moved: 0, node: nodeAt(event) };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) {
      const node = nodeAt(event);
      if (node !== hovered) {
        hovered = node;
        canvas.title = node ? `${node.title} (${node.collection}/${node.id})` : "";
        draw();
      }
      return;
    }
    view.x += event.clientX - drag.x;
    view.y += event.clientY - drag.y;
    drag.moved += Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y);
    [drag.x, drag.y] = [event.clientX, event.clientY];
    draw();
  });
  canvas.addEventListener("pointerup", () => {
    const chosen = drag && drag.moved < 5 ? drag.node : null;
    drag = null;
    if (!chosen) return;
    vertex.value = `${chosen.collection}/${chosen.id}`;
    reload();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomAt(event.deltaY > 0 ? 1 / 1.15 : 1.15, ...point(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
    if (moves[event.key]) {
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
      draw();
    } else if (event.key === "+") zoomAt(1.3);
    else if (event.key === "-") zoomAt(1 / 1.3);
    else return;
    event.preventDefault();
  });
  const resized = new ResizeObserver(() => draw());
  resized.observe(canvas);
  reload();
  return {
    end() {
      cancelAnimationFrame(frame);
      resized.disconnect();
    },
  };
}
