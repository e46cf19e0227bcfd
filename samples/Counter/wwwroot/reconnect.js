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

// If the server accepts the connection and then fails to restore the page, for example while the server stops, Blazor
// shows "Trying again" for ever. So this script asks the server too, and loads the page again after two answers.
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
