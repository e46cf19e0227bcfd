"use strict";

// What people typed is only ever set as text, never as HTML.

const maxRetryDelay = 15_000;
const typingToldEvery = 2_000;
const typingShownFor = 4_000;
const colours = 8;

const element = id => document.getElementById(id);
const messages = element("messages");
const log = element("log");

// WebSockets or nothing, and no negotiation before: a visitor is one connection, so that any number of instances can
// stand behind the web server without sticky sessions. The other transports are many requests, which would all have to
// reach the same instance.
const connection = new signalR.HubConnectionBuilder()
  .withUrl("hub", { transport: signalR.HttpTransportType.WebSockets, skipNegotiation: true })
  .withAutomaticReconnect({ nextRetryDelayInMilliseconds: retry => delay(retry.previousRetryCount) })
  .configureLogging(signalR.LogLevel.Critical)
  .build();

/** The room that this visitor is in, and the names there; null before and after. */
let place = null;
let lastTold = 0;
const typists = new Map();

// --- The connection

connection.onreconnecting(() => showState("waiting", "connection lost, trying again …"));
connection.onreconnected(arrive);
connection.onclose(connect);

async function connect() {
  for (let tries = 0; ; tries++) {
    showState("waiting", "connecting …");
    try {
      await connection.start();
      return arrive();
    } catch {
      showState("away", "not connected");
      await new Promise(resolve => setTimeout(resolve, delay(tries)));
    }
  }
}

/** The server knows a new connection from nothing. */
async function arrive() {
  showState("connected", "connected by WebSockets");
  connection.stream("WatchRooms").subscribe({ next: showRooms, error: () => { }, complete: () => { } });
  if (place) {
    await enter(place.room, place.wanted);
  }
}

function delay(tries) {
  return Math.min(500 * 2 ** tries, maxRetryDelay);
}

function showState(state, text) {
  element("state").dataset.state = state;
  element("state").textContent = text;
  element("enter").disabled = element("send").disabled = state !== "connected";
}

/** Asks the server; null when it refused, and then the page says why. */
async function ask(method, ...values) {
  element("problem").textContent = "";
  markWrong(null);
  try {
    return { answer: await connection.invoke(method, ...values) };
  } catch (error) {
    const [, refusal] = error.message.split("HubException: ");
    element("problem").textContent = refusal ?? "The connection is lost. It comes back by itself.";
    return null;
  }
}

/** The field that the problem is about. */
function markWrong(wrong) {
  for (const field of document.querySelectorAll("input, textarea")) {
    field.ariaInvalid = String(field === wrong);
  }
}

// --- Rooms

/** Somebody may have typed it: "#%" is no room. */
function roomInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

async function enter(room, wanted) {
  const before = [...messages.children];
  const shown = place?.room === room ? before : [];
  const memory = place?.memory;
  messages.replaceChildren();
  const asked = await ask("Enter", room, wanted);
  if (!asked) {
    if (place && connection.state !== signalR.HubConnectionState.Connected) {
      // Lost while it asked: arrive() enters the room again.
      return messages.replaceChildren(...before);
    }

    leaveRoom();
    const wrong = element(wanted.trim() ? "room" : "name");
    markWrong(wrong);
    return wrong.focus();
  }

  const entrance = asked.answer;
  place = { room: entrance.room, name: entrance.name, wanted, memory: entrance.memory };
  sessionStorage.setItem("name", wanted);
  history.replaceState(null, "", `#${encodeURIComponent(place.room)}`);
  element("room").value = element("room-title").textContent = place.room;
  element("entrance").hidden = true;
  element("talk").hidden = false;
  document.title = `${place.room} – Chat`;
  showPeople(entrance.people);
  if (entrance.memory !== memory) {
    // A server that has restarted remembers nothing, but we do. It counts its messages anew.
    shown.forEach(line => delete line.dataset.id);
  }

  messages.prepend(...shown);
  entrance.messages.forEach(showMessage);
  // Said before we knew our name.
  messages.querySelectorAll("[data-id]").forEach(markOwn);
  markRoom();
  element("text").focus();
}

function leaveRoom() {
  place = null;
  typists.clear();
  element("talk").hidden = true;
  element("entrance").hidden = false;
  document.title = "Chat";
  markRoom();
  element("name").focus();
}

function showRooms(rooms) {
  element("rooms").replaceChildren(...rooms.map(room => {
    const button = create("button", { type: "button" }, create("bdi", {}, room.name), create("span", {}, room.people));
    button.dataset.room = room.name;
    button.addEventListener("click", () => chooseRoom(room.name));
    return create("li", {}, button);
  }));
  element("room-names").replaceChildren(...rooms.map(room => create("option", { value: room.name })));
  markRoom();
}

function chooseRoom(room) {
  if (place && connection.state !== signalR.HubConnectionState.Connected) {
    return;
  }

  element("room").value = room;
  if (place) {
    enter(room, place.wanted);
  } else {
    element("name").focus();
  }
}

function markRoom() {
  for (const button of element("rooms").querySelectorAll("button")) {
    button.toggleAttribute("aria-current", button.dataset.room === place?.room);
  }
}

function showPeople(names) {
  element("people").textContent = names.length === 1 ? "Nobody else is here." : names.join(", ");
}

// --- Messages

connection.on("Said", message => {
  stopTyping(message.name);
  showMessage(message);
});

connection.on("Came", (name, people) => {
  showPeople(people);
  showNote(`${name} came`);
});

connection.on("Left", (name, people) => {
  stopTyping(name);
  showPeople(people);
  showNote(`${name} left`);
});

connection.on("Typing", name => {
  clearTimeout(typists.get(name));
  typists.set(name, setTimeout(() => stopTyping(name), typingShownFor));
  showTypists();
});

/** Puts the message where its id belongs: one may come twice, and one that is new before the last ones of the room. */
function showMessage(message) {
  const shown = [...messages.querySelectorAll("[data-id]")];
  if (shown.some(item => Number(item.dataset.id) === message.id)) {
    return;
  }

  const time = new Date(message.time);
  const item = create("li", {},
    create("p", { className: "who" },
      create("bdi", {}, message.name),
      create("time", { dateTime: message.time }, time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }))),
    create("p", { className: "text", dir: "auto" }, message.text));
  item.dataset.id = message.id;
  item.dataset.name = message.name;
  item.dataset.colour = [...message.name].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % colours;
  markOwn(item);
  append(item, shown.find(other => Number(other.dataset.id) > message.id));
}

function showNote(text) {
  append(create("li", { className: "note" }, text));
}

/** Follows the newest, unless somebody has scrolled up to read. */
function append(item, before = null) {
  const follows = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  messages.insertBefore(item, before);
  if (follows) {
    log.scrollTop = log.scrollHeight;
  }
}

function markOwn(item) {
  item.classList.toggle("own", item.dataset.name === place?.name);
}

function stopTyping(name) {
  clearTimeout(typists.get(name));
  typists.delete(name);
  showTypists();
}

function showTypists() {
  const names = [...typists.keys()];
  element("typing").textContent =
    names.length === 0 ? "" : `${names.join(", ")} ${names.length === 1 ? "is" : "are"} typing …`;
}

function create(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// --- The visitor

element("entrance").addEventListener("submit", event => {
  event.preventDefault();
  enter(element("room").value, element("name").value);
});

element("leave").addEventListener("click", async () => {
  // A lost connection has left the room already.
  if (connection.state === signalR.HubConnectionState.Connected) {
    await ask("Leave");
  }

  leaveRoom();
});

element("say").addEventListener("submit", async event => {
  event.preventDefault();
  const text = element("text").value;
  element("text").value = "";
  lastTold = 0;
  if (!await ask("Say", text)) {
    // Nobody has to type it again.
    element("text").value ||= text;
    markWrong(element("text"));
  }
});

element("text").addEventListener("keydown", event => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    if (!element("send").disabled) {
      element("say").requestSubmit();
    }
  }
});

element("text").addEventListener("input", () => {
  if (Date.now() - lastTold >= typingToldEvery && connection.state === signalR.HubConnectionState.Connected) {
    lastTold = Date.now();
    connection.send("Typing").catch(() => { });
  }
});

element("name").value = sessionStorage.getItem("name") ?? "";
element("room").value = roomInAddress() || "Lobby";
connect();
