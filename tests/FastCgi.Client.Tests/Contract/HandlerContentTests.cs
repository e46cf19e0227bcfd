namespace FastCgi.Client.Tests.Contract;

/// <summary>The content of a request is read as by the handlers of .NET.</summary>
public sealed class HandlerContentTests : ClientTest
{
    [Fact]
    public async Task A_content_that_fails_behind_the_head_fails_the_read()
    {
        var failure = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var request = ScriptedApplication.Post(new OwnContent((_, _) => failure.Task));
        var (connection, sending) = await Application.OpenAsync(request);
        await connection.ExpectHeadAsync();
        await connection.SendAsync(new RecordBuilder().Stdout("A: b\n\n"));
        using var response = await sending.Within("a response");
        Stream body = await response.Content.ReadAsStreamAsync();
        Task<int> read = body.ReadAsync(new byte[1]).AsTask();
        var error = new FormatException("broken");
        failure.SetException(error);
        Assert.Same(error, await Assert.ThrowsAsync<FormatException>(() => read.Within("an error")));
    }

    /// <summary>A content that looks at its token sees the cancellation at once, also while it never waits.</summary>
    [Theory]
    [InlineData(null)]
    [InlineData(5L)]
    public async Task The_content_is_given_the_token_of_the_request(long? length)
    {
        using var source = new CancellationTokenSource();
        (bool Before, bool After) seen = default;
        using var request = ScriptedApplication.Post(new OwnContent(
            (_, token) =>
            {
                seen.Before = token.IsCancellationRequested;
                source.Cancel();
                seen.After = token.IsCancellationRequested;
                token.ThrowIfCancellationRequested();
                return Task.CompletedTask;
            },
            length));
        Task<HttpResponseMessage> sending = Application.SendAsync(request, source.Token);
        await Assert.ThrowsAsync<TaskCanceledException>(() => sending.Within("the end"));
        Assert.Equal((false, true), seen);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_content_that_disposes_the_stream_fails_the_request(bool hasLength)
    {
        using var request = ScriptedApplication.Post(new OwnContent(
            static async (stream, token) =>
            {
                await stream.WriteAsync(new byte[5], token);
                await stream.DisposeAsync();
            },
            hasLength ? 5 : null));
        Task<HttpResponseMessage> sending = Application.SendAsync(request);
        var exception = await Assert.ThrowsAsync<HttpRequestException>(() => sending.Within("an error"));
        Assert.IsType<ObjectDisposedException>(exception.InnerException);
    }

    /// <summary>A small write, a flush, a blocking write, many writes: each is a way in which contents write.</summary>
    [Fact]
    public async Task A_content_may_write_and_flush_as_it_likes()
    {
        using var request = ScriptedApplication.Post(new OwnContent(static async (stream, token) =>
        {
            Assert.True(stream.CanWrite);
            Assert.False(stream.CanRead);
            Assert.False(stream.CanSeek);
            await stream.FlushAsync(token);
            stream.WriteByte((byte)'a');
            stream.Write("bc"u8);
            stream.Flush();
            await stream.FlushAsync(token);
            await Task.Yield();
            await stream.WriteAsync("d"u8.ToArray(), token);
            await Task.Factory.FromAsync(stream.BeginWrite, stream.EndWrite, "e"u8.ToArray(), 0, 1, state: null);
        }));
        var received = await Application.ReceiveAsync(request);
        Assert.Equal("abcde", Encoding.ASCII.GetString(received.Body));
    }

    [Fact]
    public async Task A_stream_that_can_be_rewound_is_sent_as_often_as_asked()
    {
        using var stream = new MemoryStream("ABC"u8.ToArray());
        using var content = new StreamContent(stream);
        for (int i = 0; i < 3; i++)
        {
            using var application = new ScriptedApplication();
            var request = ScriptedApplication.Post(content);
            var received = await application.ReceiveAsync(request);
            Assert.Equal("ABC"u8.ToArray(), received.Body);
            Assert.Equal(3, stream.Position);
        }
    }

    [Theory]
    [InlineData(false, "0", null)]
    [InlineData(true, "0", "text/plain; charset=utf-8")]
    public async Task An_empty_content_has_a_length_of_zero(bool hasContent, string length, string? type)
    {
        using var request = ScriptedApplication.Post(hasContent ? new StringContent("") : null);
        var received = await Application.ReceiveAsync(request);
        Assert.Empty(received.Body);
        Assert.Equal(length, received["CONTENT_LENGTH"]);
        Assert.Equal(type, received.Parameters.GetValueOrDefault("CONTENT_TYPE"));
    }
}
