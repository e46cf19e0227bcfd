using System.Net.Http.Json;

namespace FastCgi.Client.Tests.Oracle;

/// <summary>A request with a content of any kind, always the same for a seed, and how its response is used.</summary>
internal sealed class RandomRequest
{
    private readonly SeededChoices _choices;
    private bool _fails;

    /// <summary>The application may have all of the declared length before the content fails.</summary>
    private bool _mayBeWhole;

    /// <summary>A cancellation, or a disposal: behind one, SocketsHttpHandler may have a NullReferenceException.</summary>
    private bool _isLeftOut;

    public RandomRequest(int seed)
    {
        _choices = new SeededChoices(seed);
        Handler = _choices.Below(4);
        string answer = _choices.Note(_choices.Pick("read", "read", "read", "early", "echo", "late", "part"));
        Usage = _choices.Note(_choices.Pick("all", "all", "all", "nothing", "some", "cancel"));
        string method = _choices.Note(_choices.Pick("POST", "POST", "PUT", "PATCH", "DELETE", "GET"));
        Message = new HttpRequestMessage(HttpMethod.Parse(method), $"/{answer}/{seed}") { Content = Content() };
        _choices.Sometimes(5, "expects 100", () => Message.Headers.ExpectContinue = true);
        _choices.Sometimes(Message.Content is null ? int.MaxValue : 4, "chunked", () => Message.Headers.TransferEncodingChunked = true);
        _choices.Sometimes(8, "closes", () => Message.Headers.ConnectionClose = true);

        // A response that comes before the failure of a content, or before a cancellation, is as good.
        bool isLate = answer == "read" && (Message.Headers.TransferEncodingChunked == true || !_mayBeWhole);
        IsComparable = !_isLeftOut && Usage != "cancel" && (!_fails || isLate);
    }

    public HttpRequestMessage Message { get; }

    /// <summary>Which of the handlers sends it.</summary>
    public int Handler { get; }

    /// <summary>How much of the response is read before its disposal.</summary>
    public string Usage { get; }

    /// <summary>The outcome is always the same.</summary>
    public bool IsComparable { get; }

    public CancellationTokenSource Cancellation { get; } = new();

    public override string ToString() => $"{_choices}";

    private HttpContent? Content()
    {
        byte[] bytes = Letters(_choices.Pick(0, 1, 5, 100, _choices.Below(5000), _choices.Below(200_000)));
        string kind = _choices.Note(_choices.Pick("none", "bytes", "text", "stream", "unseekable", "json", "form", "multipart", "own", "own", "own", "own"));
        HttpContent? content = kind switch
        {
            "none" => null,
            "bytes" => new ByteArrayContent(bytes),
            "text" => new StringContent(Encoding.ASCII.GetString(bytes)),
            "stream" => new StreamContent(new MemoryStream(bytes)),
            "unseekable" => new StreamContent(new Unseekable(bytes)),
            "json" => JsonContent.Create(new int[bytes.Length % 100]),
            "form" => new FormUrlEncodedContent([new("a", Encoding.ASCII.GetString(bytes))]),
            "multipart" => new MultipartFormDataContent("b") { new ByteArrayContent(bytes) },
            _ => OwnContent(),
        };
        _choices.Sometimes(content is null ? int.MaxValue : 6, "declared", () =>
        {
            long length = content!.Headers.ContentLength ?? bytes.Length;
            content.Headers.ContentLength = Math.Max(0, length + _choices.Pick(-1, 0, 1));
            _choices.Note($"{content.Headers.ContentLength}");
            _fails |= content.Headers.ContentLength != length || kind == "own";
            _mayBeWhole |= kind == "own";
        });
        return content;
    }

    private OwnContent OwnContent()
    {
        List<Step> steps = [];
        List<int> written = [0];
        for (int count = _choices.Below(6); count > 0; count--)
        {
            byte[] bytes = Letters(_choices.Pick(0, 1, 5, 1000, _choices.Below(100_000)));
            Step step = _choices.Pick<Step>(
                new($"write {bytes.Length}", async (stream, token) => await stream.WriteAsync(bytes, token), bytes.Length),
                new($"write {bytes.Length}", async (stream, token) => await stream.WriteAsync(bytes, token), bytes.Length),
                new($"write at once {bytes.Length}", Now(stream => stream.Write(bytes)), bytes.Length),
                new("flush", (stream, token) => stream.FlushAsync(token)),
                new("yield", async (_, _) => await Task.Yield()),
                new("yield", async (_, _) => await Task.Yield()));
            steps.Add(step);
            written.Add(written[^1] + step.Size);
        }

        _choices.Sometimes(4, "fails", () =>
        {
            _fails = true;
            Step step = _choices.Pick<Step>(
                new("throw IOException", Now(static _ => throw new IOException("own"))),
                new("throw InvalidOperationException", Now(static _ => throw new InvalidOperationException("own"))),
                new("throw FormatException", Now(static _ => throw new FormatException("own"))),
                new("throw OperationCanceledException", Now(static _ => throw new OperationCanceledException("own"))),
                new("throw HttpRequestException", Now(static _ => throw new HttpRequestException("own"))),
                new("fail", static async (_, _) =>
                {
                    await Task.Yield();
                    throw new FormatException("own");
                }),
                new("dispose", Now(static stream => stream.Dispose())),
                new("cancel", (_, _) => Cancellation.CancelAsync()));
            _isLeftOut = step.Name is "cancel" or "dispose";
            steps.Insert(_choices.Below(steps.Count + 1), step);
        });
        int? length = _choices.Below(2) == 0 ? null : Math.Max(0, written[^1] + _choices.Pick(0, 0, 0, 1, -1));
        _fails |= length is not null && length != written[^1];
        _mayBeWhole |= length is { } declared && written.Contains(declared);
        _choices.Note($"({string.Join(", ", steps.Select(static step => step.Name))}), length {length}");
        return new OwnContent(
            async (stream, token) =>
            {
                foreach (Step step in steps)
                {
                    await step.Do(stream, token);
                }
            },
            length);
    }

    private static Func<Stream, CancellationToken, Task> Now(Action<Stream> step) => (stream, _) =>
    {
        step(stream);
        return Task.CompletedTask;
    };

    private byte[] Letters(int count)
    {
        byte[] letters = new byte[count];
        Array.Fill(letters, (byte)('a' + _choices.Below(26)));
        return letters;
    }

    /// <summary>One call of a content, which writes so many bytes.</summary>
    private sealed record Step(string Name, Func<Stream, CancellationToken, Task> Do, int Size = 0);

    /// <summary>A stream without a length.</summary>
    private sealed class Unseekable(byte[] bytes) : MemoryStream(bytes)
    {
        public override bool CanSeek => false;
    }
}
