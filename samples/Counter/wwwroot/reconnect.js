// A server that has started again knows nothing of this page, and refuses to go on with it.

const state = document.getElementById("components-reconnect-modal");

new MutationObserver(() => {
  if (state.classList.contains("components-reconnect-rejected")) {
    location.reload();
  }
}).observe(state, { attributeFilter: ["class"] });

state.querySelector("a").addEventListener("click", event => {
  event.preventDefault();
  location.reload();
});
