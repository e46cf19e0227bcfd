using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Microsoft.AspNetCore.SignalR;

namespace ChatSample.Rooms;

/// <summary>The rooms there are. An empty one keeps its messages until its place is needed.</summary>
public sealed class RoomSet(TimeProvider time)
{
    /// <summary>What visitors can make us remember has an end.</summary>
    public const int MaxRooms = 100;

    /// <summary>The room that is always there.</summary>
    private const string Lobby = "Lobby";

    private readonly Lock _lock = new();

    /// <summary>In the order in which they were made.</summary>
    private readonly OrderedDictionary<string, Room> _rooms = new(StringComparer.OrdinalIgnoreCase)
    {
        [Lobby] = new Room(Lobby, time),
    };

    /// <summary>By connection.</summary>
    private readonly Dictionary<string, Place> _places = [];

    /// <summary>By connection.</summary>
    private readonly Dictionary<string, Channel<bool>> _watchers = [];

    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _rooms.Count;
            }
        }
    }

    public bool Has(string roomName)
    {
        lock (_lock)
        {
            return _rooms.ContainsKey(roomName);
        }
    }

    /// <summary>The place of a connection; null outside of a room.</summary>
    public Place? PlaceOf(string connectionId)
    {
        lock (_lock)
        {
            return _places.GetValueOrDefault(connectionId);
        }
    }

    /// <summary>Goes into the room of that name, which is made when there is none.</summary>
    /// <param name="roomName">The room.</param>
    /// <param name="connectionId">A connection that is in no room.</param>
    /// <param name="wanted">The name, which gets a number where somebody has it.</param>
    /// <param name="aborted">
    /// Cancelled when the connection has ended, before <see cref="Leave"/>: it would stay in the room for ever.
    /// </param>
    public Place Enter(string roomName, string connectionId, string wanted, CancellationToken aborted = default)
    {
        lock (_lock)
        {
            aborted.ThrowIfCancellationRequested();
            var room = _rooms.TryGetValue(roomName, out var known) ? known : Make(roomName);
            var place = new Place(room, room.Enter(connectionId, wanted));
            _places.Add(connectionId, place);
            Notify();
            return place;
        }
    }

    /// <returns>Where the connection was; null outside of a room.</returns>
    public Place? Leave(string connectionId)
    {
        lock (_lock)
        {
            if (_places.Remove(connectionId, out var place))
            {
                place.Room.Leave(connectionId);
                Notify();
            }

            return place;
        }
    }

    /// <summary>The rooms now, and again after each change; changes that come fast are told at once.</summary>
    public async IAsyncEnumerable<IReadOnlyList<RoomSummary>> WatchAsync(
        string connectionId, [EnumeratorCancellation] CancellationToken aborted)
    {
        var changes = Channel.CreateBounded<bool>(
            new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
        lock (_lock)
        {
            // SignalR limits how many calls of a connection run at once, but not how many streams.
            if (!_watchers.TryAdd(connectionId, changes))
            {
                throw new HubException("You are watching the rooms.");
            }
        }

        try
        {
            do
            {
                yield return Summarize();
            }
            while (await changes.Reader.ReadAsync(aborted));
        }
        finally
        {
            lock (_lock)
            {
                _watchers.Remove(connectionId);
            }
        }
    }

    private Room Make(string roomName)
    {
        if (_rooms.Count == MaxRooms)
        {
            // A room without messages before one whose history would be lost.
            var unused = _rooms.Values.Where(static room => room.Count == 0 && room.Name != Lobby)
                .MinBy(static room => room.Messages.Count > 0)
                ?? throw new HubException("There are too many rooms: choose one of those.");
            _rooms.Remove(unused.Name);
        }

        var room = new Room(roomName, time);
        _rooms.Add(roomName, room);
        return room;
    }

    private List<RoomSummary> Summarize()
    {
        lock (_lock)
        {
            return [.. _rooms.Values.Select(static room => new RoomSummary(room.Name, room.Count))];
        }
    }

    private void Notify()
    {
        foreach (var watcher in _watchers.Values)
        {
            watcher.Writer.TryWrite(true);
        }
    }
}
