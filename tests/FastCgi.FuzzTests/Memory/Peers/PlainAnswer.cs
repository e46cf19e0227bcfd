using FastCgi.FuzzTests.Memory.Talks;

namespace FastCgi.FuzzTests.Memory.Peers;

/// <summary>What comes back over SCGI: one answer without any frame, which the close of the connection ends.</summary>
internal sealed class PlainAnswer(Talk talk) : IAnswerReader
{
    private byte[] _head = [];
    private int _headLength;
    private AnswerHead? _read;
    private int _length;

    public string? Error { get; private set; }

    public bool HasAll => talk.Scripts[0] is var script && (script.IsUpgrade
        ? _read is not null && _length >= script.AnswerLength
        : script.Answers > 0);

    public void Read(ReadOnlySpan<byte> bytes)
    {
        if (_read is null)
        {
            Array.Resize(ref _head, _headLength + bytes.Length);
            bytes.CopyTo(_head.AsSpan(_headLength));
            _headLength += bytes.Length;
            if (_head.AsSpan().IndexOf("\r\n\r\n"u8) < 0)
            {
                return;
            }

            var error = AnswerHead.Read(_head, talk, out var head);
            Error ??= error;
            _read = head;
            bytes = _head.AsSpan(head.Length);
        }

        var script = _read.Value.Script;
        if (talk.IsClean && script is { IsWild: false } && !script.IsOfAnswer(bytes, _length))
        {
            Error ??= $"bytes from {_length} on that are not those of {script}";
        }

        _length += bytes.Length;
    }

    /// <summary>The answer has no end but the connection's: its head counts, which may let an upgrade go on.</summary>
    public int AnswersTo(int id) => _read is null ? 0 : 1;

    public string? Judge(bool peerStayed)
    {
        var script = talk.Scripts[0];
        if (!talk.IsClean || !peerStayed || talk.MayEndEarly || script.IsWild)
        {
            return null;
        }

        if (_read is not { } head)
        {
            return $"no answer to {script}";
        }

        script.Answers++;
        return head.Status == (script.MustFail ? 500 : script.IsUpgrade ? 101 : 200)
            && (script.MustFail || _length == script.AnswerLength)
                ? null
                : $"status {head.Status}, {_length} bytes, to {script}";
    }
}
