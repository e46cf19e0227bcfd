using System.Reflection;
using System.Security.Claims;
using ChatSample;
using ChatSample.Rooms;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.Logging.Abstractions;

namespace FastCgi.SampleTests.Chat;

/// <summary>The hub without SignalR, so that a connection can end in the middle of a call.</summary>
public sealed class ChatHubTests
{
    [Fact]
    public async Task Who_disconnects_on_the_way_into_a_room_is_in_none()
    {
        var rooms = new RoomSet(TimeProvider.System);
        using var connection = new EndingConnection();
        using var hub = new ChatHub(rooms, NullLogger<ChatHub>.Instance)
        {
            Context = connection,
            Clients = DispatchProxy.Create<IHubCallerClients<IChatPage>, Nobody>(),
            Groups = connection,
        };
        await hub.Enter("first", "Zoë");

        // As SignalR does it: the token, then the hub is told.
        connection.OnLeave = () =>
        {
            connection.Abort();
            return hub.OnDisconnectedAsync(null);
        };
        await Record.ExceptionAsync(() => hub.Enter("second", "Zoë"));

        await using var all = rooms.WatchAsync("another", CancellationToken.None).GetAsyncEnumerator();
        Assert.True(await all.MoveNextAsync());
        Assert.All(all.Current, static room => Assert.Equal(0, room.People));
    }

    /// <summary>A connection whose end a test brings about while it is being taken out of a group.</summary>
    private sealed class EndingConnection : HubCallerContext, IGroupManager, IDisposable
    {
        private readonly CancellationTokenSource _aborted = new();

        public Func<Task> OnLeave { get; set; } = static () => Task.CompletedTask;

        public override string ConnectionId => "1";

        public override string? UserIdentifier => null;

        public override ClaimsPrincipal? User => null;

        public override IDictionary<object, object?> Items { get; } = new Dictionary<object, object?>();

        public override IFeatureCollection Features { get; } = new FeatureCollection();

        public override CancellationToken ConnectionAborted => _aborted.Token;

        public override void Abort() => _aborted.Cancel();

        public Task AddToGroupAsync(string connectionId, string groupName, CancellationToken cancellationToken = default) =>
            Task.CompletedTask;

        public Task RemoveFromGroupAsync(
            string connectionId, string groupName, CancellationToken cancellationToken = default) => OnLeave();

        public void Dispose() => _aborted.Dispose();
    }

    /// <summary>Takes what is sent to any clients.</summary>
    private class Nobody : DispatchProxy
    {
        protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) =>
            targetMethod!.ReturnType == typeof(Task) ? Task.CompletedTask : Create(targetMethod.ReturnType, typeof(Nobody));
    }
}
