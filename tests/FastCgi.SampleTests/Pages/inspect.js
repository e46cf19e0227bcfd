// What a picture of the page would show wrong: one line for each fault.
// In what matches the selector "foreign", which comes out of a library, contrast and names are not ours.

async function inspect(width, foreign) {
  // The page hears of another size and of other colours before it draws its next frame.
  await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
  // Colours that change with the look may do so slowly.
  document.getAnimations().filter(animation => animation.effect.getTiming().iterations !== Infinity)
    .forEach(animation => animation.finish());
  const faults = [];
  const fault = (element, text) => faults.push(`${describe(element)}: ${text}`);
  const describe = element => {
    const name = element.id ? `#${element.id}` : [element.localName, ...element.classList].join(".");
    return `${name} "${element.textContent.trim().replace(/\s+/g, " ").slice(0, 40)}"`;
  };
  const isSeen = element => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };

  // --- Width: on a phone the window grows with a page that is too wide, so the screen is what counts.

  const root = document.documentElement;
  if (root.scrollWidth > width) {
    faults.push(`The page is ${root.scrollWidth} pixels wide on a screen of ${width}.`);
  }

  for (const element of document.body.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    const isMeant = style.textOverflow === "ellipsis" || style.clipPath !== "none" || element.localName === "input";
    const cuts = ["hidden", "clip"].includes(style.overflowX) && !isMeant;
    if (cuts && isSeen(element) && element.scrollWidth > element.clientWidth + 1) {
      fault(element, "its text is cut off");
    }
  }

  // --- Contrast

  /** Red, green, blue and alpha from 0 to 1. */
  const parse = colour => {
    const numbers = colour.match(/-?[\d.]+(e-?\d+)?/g).map(Number);
    if (/^rgba?\(/.test(colour)) {
      return [numbers[0] / 255, numbers[1] / 255, numbers[2] / 255, numbers[3] ?? 1];
    }
    if (/^color\(srgb /.test(colour)) {
      return [numbers[0], numbers[1], numbers[2], numbers[3] ?? 1];
    }
    throw new Error(`unknown colour: ${colour}`);
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((value, i) => value * a + below[i] * (1 - a)).concat(1);
  const luminance = colour => {
    const [r, g, b] = colour.map(value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + .05) / (low + .05);
  };

  const probe = root.appendChild(document.createElement("i"));
  probe.style.backgroundColor = "Canvas";
  const canvas = parse(getComputedStyle(probe).backgroundColor);
  probe.remove();

  /** Every colour that may lie behind the element: a gradient has several. */
  const backgrounds = element => {
    let colours = [canvas];
    const ancestors = [];
    for (let at = element; at; at = at.parentElement) {
      ancestors.unshift(at);
    }
    for (const ancestor of ancestors) {
      const style = getComputedStyle(ancestor);
      const layer = parse(style.backgroundColor);
      colours = colours.map(below => over(layer, below));
      const stops = style.backgroundImage.includes("gradient(") ? style.backgroundImage.match(/rgba?\([^)]*\)/g) : null;
      colours = stops ? colours.flatMap(below => stops.map(stop => over(parse(stop), below))) : colours;
    }
    return colours;
  };
  const opacity = element => element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1;
  const checkContrast = (element, style, what) => {
    const [r, g, b, a] = parse(style.color);
    const ink = [r, g, b, a * opacity(element) * Number(what === "placeholder" ? style.opacity : 1)];
    const worst = Math.min(...backgrounds(element).map(paper => contrast(over(ink, paper), paper)));
    if (worst < 4.5) {
      fault(element, `the contrast of its ${what} is ${worst.toFixed(2)}`);
    }
  };

  const isLeftOut = element => element.closest(`:disabled, [aria-disabled=true], ${foreign}`) !== null;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const isText = texts.currentNode.data.trim() !== "" && !["script", "style", "noscript"].includes(element.localName);
    if (isText && !seen.has(element) && isSeen(element) && !isLeftOut(element)) {
      seen.add(element);
      checkContrast(element, getComputedStyle(element), "text");
    }
  }

  // --- Fields: each has a name, and what is wrong with it is said where it points to.

  const fields = [...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
    .filter(field => isSeen(field) && !isLeftOut(field));
  for (const field of fields) {
    checkContrast(field, getComputedStyle(field), "value");
    if (field.placeholder) {
      checkContrast(field, getComputedStyle(field, "::placeholder"), "placeholder");
    }
    if (!field.labels?.length && !field.hasAttribute("aria-label") && !field.hasAttribute("aria-labelledby")) {
      fault(field, "it has no name");
    }
    const said = (field.getAttribute("aria-describedby") ?? "").split(" ").map(id => document.getElementById(id));
    if (field.ariaInvalid === "true" && !said.some(text => text && isSeen(text) && text.innerText.trim())) {
      fault(field, "it is wrong, and nothing says why");
    }
  }

  // --- Pictures and headings

  for (const image of document.images) {
    if (image.complete && image.naturalWidth === 0) {
      fault(image, `${image.src} is not shown`);
    }
  }
  if (document.contentType === "text/html" && ![...document.querySelectorAll("h1")].some(isSeen)) {
    faults.push("The page has no heading.");
  }

  // --- Structure: what axe looks at apart from colours

  const boxes = [...document.querySelectorAll("*")]
    .map(element => [isSeen(element), ...Object.values(element.getBoundingClientRect().toJSON())].join());
  const structure = [root.outerHTML, ...boxes].join("\n");
  const isRecoloured = window.inspectedStructure === structure;
  window.inspectedStructure = structure;

  const status = performance.getEntriesByType("navigation")[0].responseStatus;
  const wrong = fields.filter(field => field.ariaInvalid === "true").map(field => field.id);
  return { faults, status, wrong, isRecoloured };
}
