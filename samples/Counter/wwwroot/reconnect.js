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

state.querySelector("a").addEventListener("click", event => {
  event.preventDefault();
  location.reload();
});
