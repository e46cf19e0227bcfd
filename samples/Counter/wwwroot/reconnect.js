// Without a connection a click on the page would come to nothing. A server that has started again knows nothing of this
// page, and refuses to go on with it.

const state = document.getElementById("components-reconnect-modal");

new MutationObserver(() => {
  document.querySelector("main").inert =
    /components-reconnect-(show|failed|rejected)/.test(state.className);
  if (state.classList.contains("components-reconnect-rejected")) {
    location.reload();
  }
}).observe(state, { attributeFilter: ["class"] });

// Blazor gives up without a word if the server takes the connection and fails to take the page, as it can while it stops.
// So a page that is still lost when the server has answered twice is loaded again.
let answers = 0;
setInterval(async () => {
  const isLost = () => state.classList.contains("components-reconnect-show");
  const response = isLost() && await fetch(location.href, { method: "HEAD" }).catch(() => null);
  answers = response?.ok && isLost() ? answers + 1 : 0;
  if (answers === 2) {
    location.reload();
  }
}, 5000);

state.querySelector("a").addEventListener("click", event => {
  event.preventDefault();
  location.reload();
});
