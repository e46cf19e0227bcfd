using ChatSample.Hosting;
using ChatSample.Rooms;
using Microsoft.AspNetCore.SignalR;

namespace ChatSample;

/// <summary>
/// What a page may ask for. What its visitor may not do is refused by a <see cref="HubException"/>, whose message the
/// page shows.
/// </summary>
public sealed class ChatHub(RoomSet rooms, ILogger<ChatHub> log) : Hub<IChatPage>
{
    /// <summary>The most rooms that one connection can make.</summary>
    public const int MaxRoomsMade = 5;

    /// <summary>How many rooms the connection has made.</summary>
    private const string RoomsMadeKey = "rooms made";

    /// <summary>Goes out of the room that one is in, and into one that is made when there is none of that name.</summary>
    public async Task<Entrance> Enter(string room, string name)
    {
        var wantedRoom = ChatText.RoomName(room);
        var wantedName = ChatText.PersonName(name);
        CountRoom(wantedRoom);
        await Leave();

        var (entered, givenName) =
            rooms.Enter(wantedRoom, Context.ConnectionId, wantedName, Context.ConnectionAborted);

        // The group first, then the messages: one that comes in between is seen twice, and none is missed.
        await Groups.AddToGroupAsync(Context.ConnectionId, entered.Name, Context.ConnectionAborted);
        await Clients.OthersInGroup(entered.Name).Came(givenName, entered.People);
        return new Entrance(entered.Name, givenName, entered.People, entered.Messages, entered.Memory);
    }

    /// <summary>Says something to everybody in the room, the speaker included.</summary>
    public Task Say(string text)
    {
        var (room, name) = RequirePlace();
        return Clients.Group(room.Name).Said(room.Add(name, ChatText.Message(text)));
    }

    /// <summary>Tells the others that this one is typing.</summary>
    public Task Typing()
    {
        var (room, name) = RequirePlace();
        return Clients.OthersInGroup(room.Name).Typing(name);
    }

    /// <summary>Goes out of the room; nothing happens outside of one.</summary>
    public async Task Leave()
    {
        if (rooms.Leave(Context.ConnectionId) is not var (room, name))
        {
            return;
        }

        await Groups.RemoveFromGroupAsync(Context.ConnectionId, room.Name, CancellationToken.None);
        await Clients.Group(room.Name).Left(name, room.People);
    }

    /// <summary>Streams which rooms there are, now and whenever that changes.</summary>
    public IAsyncEnumerable<IReadOnlyList<RoomSummary>> WatchRooms(CancellationToken aborted) =>
        rooms.WatchAsync(Context.ConnectionId, aborted);

    public override Task OnDisconnectedAsync(Exception? exception) => Leave();

    private void CountRoom(string room)
    {
        if (rooms.Has(room))
        {
            return;
        }

        var made = Context.Items.TryGetValue(RoomsMadeKey, out var count) ? (int)count! : 0;
        if (made == MaxRoomsMade)
        {
            log.RoomRefused(Context.ConnectionId, made);
            throw new HubException("You have made enough rooms: choose one of those.");
        }

        Context.Items[RoomsMadeKey] = made + 1;
        log.RoomMade(room, rooms.Count + 1);
    }

    private Place RequirePlace() =>
        rooms.PlaceOf(Context.ConnectionId) ?? throw new HubException("You are in no room.");
}
