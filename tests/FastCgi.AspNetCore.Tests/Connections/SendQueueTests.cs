using Microsoft.Win32.SafeHandles;

namespace FastCgi.AspNetCore.Tests.Connections;

public sealed class SendQueueTests : IDisposable, IThreadPoolWorkItem
{
    private readonly ScriptedServer _server;
    private readonly Latch _isInFile = new();
    private readonly Latch _fileGoesOn = new();
    private readonly TrackingPool _pool = new();
    private readonly ScriptedTransport _transport = new();
    private readonly TaskCompletionSource _lost = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly string _path = Path.GetTempFileName();
    private readonly SendQueue _queue;

    public SendQueueTests()
    {
        _server = new ScriptedServer { Buffers = _pool };
        _server.Options.Limits.MaxResponseBufferSize = 10;
        _server.Options.Limits.SendTimeout = TimeSpan.FromSeconds(30);
        _queue = new SendQueue(_transport, _server.Context, this);
        File.WriteAllBytes(_path, [101, 102, 103, 104, 105]);
    }

    public void Dispose()
    {
        _fileGoesOn.Set();
        File.Delete(_path);
        _server.Dispose();
        Assert.Equal(0, _pool.Outstanding);
    }

    /// <summary>What the connection does when a send finds its socket lost.</summary>
    void IThreadPoolWorkItem.Execute() => _lost.TrySetResult();

    [Fact]
    public void What_the_socket_takes_at_once_is_neither_copied_nor_queued()
    {
        Assert.Equal(SendOutcome.Sent, Send(1, 2, 3));
        Assert.Equal([1, 2, 3], _transport.Sent);
        Assert.False(_queue.HasUnsent);
    }

    [Fact]
    public void What_the_socket_has_no_room_for_follows_in_order()
    {
        _transport.Room = 2;
        Assert.Equal(SendOutcome.Queued, Send(1, 2, 3));
        Assert.Equal(SendOutcome.Queued, Send(4));
        Assert.Equal(SendOutcome.Queued, _queue.TrySendGathered([5], [6], [7]));
        Assert.True(_queue.HasUnsent);
        Complete();
        Complete();
        Assert.Equal([1, 2, 3, 4], _transport.Sent);
        Assert.False(_queue.HasUnsent);
    }

    /// <summary>The transport may be done with a block before the thread that handed it over has left the queue.</summary>
    [Fact]
    public void A_completion_waits_for_the_send_that_handed_the_block_over()
    {
        WaitingCall? completion = null;
        _transport.Room = 0;
        _transport.InSendLater = () => completion ??= WaitingCall.Start(Complete);
        Assert.Equal(SendOutcome.Queued, Send(1));
        Assert.True(completion!.HasWaited);
        Assert.True(completion.Ends());
        Assert.Equal([1], _transport.Sent);
        Assert.False(_queue.HasUnsent);
    }

    [Fact]
    public void A_send_waits_for_the_completion_that_hands_over_the_next_block()
    {
        WaitingCall? send = null;
        _transport.Room = 0;
        Send(1);
        Send(2);
        _transport.InSendLater = () => send ??= WaitingCall.Start(() => Send(3));
        Complete();
        Assert.True(send!.HasWaited);
        Assert.True(send.Ends());
        Complete();
        Complete();
        Assert.Equal([1, 2, 3], _transport.Sent);
    }

    [Fact]
    public void What_is_left_of_three_pieces_is_copied_from_any_byte_on()
    {
        for (int room = 0; room <= 6; room++)
        {
            _transport.Sent.Clear();
            _transport.Room = room;
            Assert.Equal(SendOutcome.Sent, _queue.TrySendGathered([1, 2], [3, 4], [5, 6]));
            if (_transport.IsSendingLater)
            {
                Complete();
            }

            Assert.Equal([1, 2, 3, 4, 5, 6], _transport.Sent);
        }
    }

    [Fact]
    public async Task A_lost_socket_takes_nothing_and_the_connection_hears_of_it()
    {
        _transport.IsLost = true;
        Assert.Equal(SendOutcome.Lost, _queue.TrySendGathered([1], [2], [3]));
        await _lost.Task.Within("the connection's notice");
        Assert.Equal(SendOutcome.Lost, Send(1));
        Assert.Equal(SendOutcome.Lost, SendFile());
    }

    [Fact]
    public async Task A_failed_send_drops_the_queue_and_frees_those_who_wait()
    {
        _transport.Room = 0;
        Send(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        Send(2);
        Task room = RoomTask.Of(_queue, all: false);
        bool drained = false;
        _queue.WhenDrained(() => drained = true);
        _queue.OnSendCompleted(_transport.CompleteLater(succeeds: false));
        await room.Within("the waiter");
        Assert.True(drained);
        Assert.False(_queue.HasUnsent);
    }

    [Fact]
    public void A_flush_waits_for_the_limit_or_for_everything()
    {
        _transport.Room = 0;
        Send(1, 2, 3, 4, 5, 6, 7, 8);
        Send(9, 10, 11);
        Assert.True(_queue.IsFull);
        Task some = RoomTask.Of(_queue, all: false);
        Complete();
        Assert.True(some.IsCompleted);
        Task all = RoomTask.Of(_queue, all: true);
        Assert.False(all.IsCompleted);
        Complete();
        Assert.True(all.IsCompleted);
    }

    /// <summary>It would else wait for as long as something of another request is unsent.</summary>
    [Fact]
    public async Task A_flush_that_waited_with_one_for_everything_goes_on_without_it()
    {
        _transport.Room = 0;
        Send(1, 2, 3, 4, 5, 6, 7, 8);
        Send(9, 10, 11);
        var all = new RoomTask(all: true);
        var some = new RoomTask();
        Assert.True(_queue.TryAwaitRoom(some));
        Assert.True(_queue.TryAwaitRoom(all));
        Complete();
        Assert.Equal(0, some.Calls);
        Assert.True(_queue.TryForget(all));
        await some.Task.Within("the other flush");
        Complete();
        Assert.Equal((1, 0), (some.Calls, all.Calls));
    }

    [Fact]
    public void Reading_waits_until_most_answers_are_taken()
    {
        _transport.Room = 0;
        _queue.SendAnswer([1, 2, 3, 4, 5, 6]);
        Assert.False(_queue.TryAwaitTaking(static () => { }));
        _queue.SendAnswer([1, 2, 3, 4, 5, 6]);
        Assert.True(_queue.HasUntakenAnswers);
        bool taken = false;
        Assert.True(_queue.TryAwaitTaking(() => taken = true));
        Complete();
        Assert.False(taken);
        Complete();
        Assert.True(taken);
    }

    [Fact]
    public void A_peer_that_takes_nothing_is_stuck_after_the_timeout()
    {
        _transport.Room = 0;
        Send(1);
        Send(2);
        Pass(30);
        Assert.False(_queue.IsStuck);
        Pass(1);
        Assert.True(_queue.IsStuck);
        Complete();
        Assert.False(_queue.IsStuck);
        Complete();
    }

    [Fact]
    public void A_file_leaves_behind_its_header_and_is_read_where_the_socket_has_no_room()
    {
        foreach (int room in (int[])[int.MaxValue, 0, 1, 2, 3, 4, 5])
        {
            _transport.Sent.Clear();
            _transport.FileRoom = room;
            Assert.Equal(SendOutcome.Sent, SendFile());
            if (_transport.IsSendingLater)
            {
                Complete();
            }

            Assert.Equal([1, 2, 101, 102, 103, 104, 105], _transport.Sent);
        }
    }

    [Fact]
    public void Zeros_stand_for_what_a_file_lost()
    {
        File.WriteAllBytes(_path, [101]);
        _transport.FileRoom = 0;
        Assert.Equal(SendOutcome.Truncated, SendFile());
        Complete();
        Assert.Equal([1, 2, 101, 0, 0, 0, 0], _transport.Sent);
    }

    [Fact]
    public void A_file_has_no_place_beside_other_requests_or_behind_other_bytes()
    {
        _queue.IsShared = true;
        Assert.Equal(SendOutcome.Queued, SendFile());
        _queue.IsShared = false;
        _transport.Room = 0;
        Send(1);
        Assert.Equal(SendOutcome.Queued, SendFile());
        Complete();
    }

    [Fact]
    public async Task While_a_file_hangs_others_queue_behind_it_and_nobody_waits()
    {
        Task<SendOutcome> file = SendHangingFile();
        bool drained = false;
        Task others = Task.Run(() =>
        {
            Assert.Equal(SendOutcome.Queued, Send(7));
            Assert.Equal(SendOutcome.Queued, SendFile());
            Pass(31);
            Assert.False(_queue.IsStuck);
            Assert.True(_queue.HasUnsent);
            _queue.WhenDrained(() => Volatile.Write(ref drained, true));
        });
        await others.Within("the others", deadline: TimeSpan.FromSeconds(3));
        _fileGoesOn.Set();

        Assert.Equal(SendOutcome.Sent, await file.Within("the file"));
        Assert.False(Volatile.Read(ref drained));
        Complete();
        Assert.True(Volatile.Read(ref drained));
        Assert.Equal([1, 2, 101, 102, 103, 104, 105, 7], _transport.Sent);
    }

    [Fact]
    public async Task The_rest_of_a_file_goes_in_front_of_what_queued_behind_it()
    {
        _transport.FileRoom = 2;
        Task<SendOutcome> file = SendHangingFile();
        await Task.Run(() => (Send(7), Send(8))).Within("the others");
        _fileGoesOn.Set();
        Assert.Equal(SendOutcome.Sent, await file.Within("the file"));
        Complete();
        Complete();
        Complete();
        Assert.Equal([1, 2, 101, 102, 103, 104, 105, 7, 8], _transport.Sent);
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task A_socket_is_lost_also_while_a_file_hangs(bool hasFollower)
    {
        Task<SendOutcome> file = SendHangingFile();
        Task lose = Task.Run(async () =>
        {
            if (hasFollower)
            {
                Send(7);
            }

            Task room = RoomTask.Of(_queue, all: true);
            _queue.Lose();
            await room;
        });
        await lose.Within("the loss", deadline: TimeSpan.FromSeconds(3));
        _fileGoesOn.Set();

        Assert.Equal(SendOutcome.Lost, await file.Within("the file"));
        Assert.Equal(SendOutcome.Lost, Send(1));
        Assert.False(_queue.HasUnsent);
    }

    private SendOutcome Send(params byte[] bytes)
    {
        byte[] buffer = _pool.Rent(bytes.Length);
        bytes.CopyTo(buffer, 0);
        SendOutcome outcome = _queue.Send(buffer, 0, bytes.Length);
        if (outcome != SendOutcome.Queued)
        {
            _pool.Return(buffer);
        }

        return outcome;
    }

    private SendOutcome SendFile()
    {
        using SafeFileHandle file = File.OpenHandle(_path);
        return _queue.TryReserve(7, out SendOutcome refusal)
            ? _queue.SendFile([1, 2], new FilePart(file, 0, 5))
            : refusal;
    }

    /// <summary>It is within the read of the file, as when the file system hangs.</summary>
    private Task<SendOutcome> SendHangingFile()
    {
        _transport.InSendFile = () =>
        {
            _isInFile.Set();
            _fileGoesOn.Wait();
        };
        Task<SendOutcome> file = Task.Run(SendFile);
        _isInFile.Wait();
        return file;
    }

    private void Complete() => _queue.OnSendCompleted(_transport.CompleteLater());

    private void Pass(int seconds)
    {
        _server.Pass(seconds);
        _server.Context.Clock.Tick();
    }
}
