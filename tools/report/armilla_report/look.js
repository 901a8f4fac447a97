// What a reader would stumble over: the page wider than the screen, words cut off or on top of each other in a figure, too small, too faint.
(() => {
  const found = [], width = document.documentElement.clientWidth;
  const say = (what, where) => found.push(what + ": " + where.replace(/\s+/g, " ").trim().slice(0, 70));
  if (document.documentElement.scrollWidth > width)
    say("the page is wider than the screen", `${document.documentElement.scrollWidth} of ${width} px`);
  for (const e of document.querySelectorAll("body *")) {
    const box = e.getBoundingClientRect();
    if (box.width && box.right > width + 1 && !e.closest(".box, svg")) say("beyond the edge", e.tagName + " " + e.textContent);
  }
  const shown = e => e.getClientRects().length && e.checkVisibility();
  for (const svg of document.querySelectorAll("svg")) {
    if (!shown(svg)) continue;
    const name = svg.parentElement.getAttribute("aria-label") || "figure", frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter(t => t.textContent.trim())
      .map(t => ({ words: t.textContent.trim(), box: t.getBoundingClientRect(), size: parseFloat(getComputedStyle(t).fontSize) * frame.width / svg.viewBox.baseVal.width }));
    for (const t of texts) {
      if (t.box.left < frame.left - 1 || t.box.right > frame.right + 1 || t.box.top < frame.top - 1 || t.box.bottom > frame.bottom + 1)
        say("cut off", `${name}: ${t.words}`);
      if (t.size < 7.5) say("smaller than 7.5 px", `${name}: ${t.words}`);
    }
    texts.forEach((a, i) => texts.slice(i + 1).forEach(b => {
      const x = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const y = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (x > 1 && y > .35 * Math.min(a.box.height, b.box.height)) say("one on the other", `${name}: ${a.words} | ${b.words}`);
    }));
  }
  const brush = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const light = colour => {
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...brush.getImageData(0, 0, 1, 1).data].map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor), faint = new Set();
  for (const e of document.querySelectorAll("body *")) {
    if (!shown(e) || ![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
    const colour = e.closest("svg") ? getComputedStyle(e).fill : getComputedStyle(e).color, own = light(colour);
    const contrast = (Math.max(own, paper) + .05) / (Math.min(own, paper) + .05);
    if (contrast < 4.5 && !faint.has(colour)) faint.add(colour), say(`contrast ${contrast.toFixed(1)}`, `${colour} ${e.textContent}`);
  }
  return { height: document.documentElement.scrollHeight, found };
})()
