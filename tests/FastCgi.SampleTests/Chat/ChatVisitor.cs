using System.Threading.Channels;
using ChatSample.Rooms;
using FastCgi.SampleTests.Hubs;
using Microsoft.AspNetCore.SignalR.Client;

namespace FastCgi.SampleTests.Chat;

/// <summary>Somebody in the chat, by SignalR's .NET client. What the hub tells is kept until it is asked for.</summary>
internal sealed class ChatVisitor : IAsyncDisposable
{
    private readonly HubConnection _connection;
    private readonly Channel<ChatMessage> _said = Channel.CreateUnbounded<ChatMessage>();
    private readonly Channel<string> _came = Channel.CreateUnbounded<string>();
    private readonly Channel<string> _left = Channel.CreateUnbounded<string>();
    private readonly Channel<string> _typing = Channel.CreateUnbounded<string>();
    private readonly TaskCompletionSource<Exception?> _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _back = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private ChatVisitor(Func<CancellationToken, Task<WebSocket>> open, IRetryPolicy? retries)
    {
        _connection = new WebSocketConnectionFactory(open).CreateClient(retries);
        _connection.On<ChatMessage>("Said", message => _said.Writer.TryWrite(message));
        _connection.On<string, string[]>("Came", (name, _) => _came.Writer.TryWrite(name));
        _connection.On<string, string[]>("Left", (name, _) => _left.Writer.TryWrite(name));
        _connection.On<string>("Typing", name => _typing.Writer.TryWrite(name));
        _connection.Closed += reason =>
        {
            _closed.TrySetResult(reason);
            return Task.CompletedTask;
        };
        _connection.Reconnected += _ =>
        {
            _back.TrySetResult();
            return Task.CompletedTask;
        };
    }

    /// <summary>The reason, null for a close in good order.</summary>
    public Task<Exception?> ClosedAsync() => _closed.Task.Within("the end of the connection");

    /// <summary>The connection was lost, and there is another.</summary>
    public Task BackAsync() => _back.Task.Within("a new connection", deadline: TimeSpan.FromSeconds(30));

    public static async Task<ChatVisitor> ConnectAsync(
        Func<CancellationToken, Task<WebSocket>> open, IRetryPolicy? retries = null)
    {
        var visitor = new ChatVisitor(open, retries);
        await visitor._connection.StartAsync().Within("a connection to the hub");
        return visitor;
    }

    /// <summary>Connects and goes into a room.</summary>
    public static async Task<ChatVisitor> EnterAsync(IChatSite site, string room, string name)
    {
        var visitor = await ConnectAsync(site.OpenAsync);
        await visitor.EnterAsync(room, name);
        return visitor;
    }

    public Task<Entrance> EnterAsync(string room, string name) =>
        _connection.InvokeAsync<Entrance>("Enter", room, name).Within($"{name}'s entrance");

    public Task SayAsync(string text) => _connection.InvokeAsync("Say", text).Within("the hub's receipt");

    public Task TypeAsync() => _connection.InvokeAsync("Typing").Within("the hub's receipt");

    public Task LeaveAsync() => _connection.InvokeAsync("Leave").Within("the hub's receipt");

    public IAsyncEnumerable<IReadOnlyList<RoomSummary>> WatchRooms(CancellationToken cancellationToken) =>
        _connection.StreamAsync<IReadOnlyList<RoomSummary>>("WatchRooms", cancellationToken);

    public Task<ChatMessage> NextSaidAsync() => NextAsync(_said, "a message");

    public Task<string> NextCameAsync() => NextAsync(_came, "somebody's coming");

    public Task<string> NextLeftAsync() => NextAsync(_left, "somebody's leaving");

    public Task<string> NextTypingAsync() => NextAsync(_typing, "somebody's typing");

    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private static Task<T> NextAsync<T>(Channel<T> channel, string awaited) =>
        channel.Reader.ReadAsync().AsTask().Within(awaited);
}
