using ChatSample.Rooms;
using Microsoft.AspNetCore.SignalR;

namespace FastCgi.SampleTests.Chat;

/// <summary>What visitors make the application remember has an end.</summary>
public sealed class RoomSetTests
{
    private readonly RoomSet _rooms = new(TimeProvider.System);

    [Fact]
    public void The_oldest_empty_room_gives_way_to_a_new_one()
    {
        for (var number = 1; number < RoomSet.MaxRooms; number++)
        {
            var room = _rooms.Enter($"room {number}", $"{number}", "Zoë").Room;
            if (number is 3 or 5 or 7)
            {
                room.Add("Zoë", "to be remembered");
                _rooms.Leave($"{number}");
            }
        }

        // The lobby is empty as well, and older, but stays. So do rooms with messages while one has none.
        var lobby = Room("Lobby");
        lobby.Add("Zoë", "welcome");
        _rooms.Leave("Lobby");
        _rooms.Enter("room 9", "9b", "Ada");
        _rooms.Leave("9b");
        _rooms.Leave("9");
        _rooms.Enter("one more", "x", "Zoë");
        _rooms.Enter("two more", "y", "Zoë");

        Assert.Single(Room("Lobby").Messages);
        Assert.Single(Room("room 5").Messages);

        // Going into it makes it new, in the place of another.
        Assert.Empty(Room("room 3").Messages);

        Room Room(string name) => _rooms.Enter(name, name, "Ada").Room;
    }

    [Fact]
    public void No_room_is_made_while_there_is_somebody_in_each()
    {
        _rooms.Enter("Lobby", "0", "Zoë");
        for (var number = 1; number < RoomSet.MaxRooms; number++)
        {
            _rooms.Enter($"room {number}", $"{number}", "Zoë");
        }

        var refusal = Assert.Throws<HubException>(() => _rooms.Enter("one more", "x", "Zoë"));

        Assert.Equal("There are too many rooms: choose one of those.", refusal.Message);
    }

    [Fact]
    public async Task Who_has_stopped_watching_may_watch_again()
    {
        for (var time = 1; time <= 2; time++)
        {
            await using var watch = _rooms.WatchAsync("1", CancellationToken.None).GetAsyncEnumerator();
            Assert.True(await watch.MoveNextAsync().AsTask().Within("the rooms"));
        }
    }
}
