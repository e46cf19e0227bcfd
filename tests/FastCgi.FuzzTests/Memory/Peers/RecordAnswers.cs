using FastCgi.FuzzTests.Memory.Talks;

namespace FastCgi.FuzzTests.Memory.Peers;

/// <summary>
/// The records that come back on one connection: well-formed, of ids that were begun, one END_REQUEST for each, and
/// every byte of a body the one that its own application wrote.
/// </summary>
internal sealed class RecordAnswers : IAnswerReader
{
    private readonly Talk _talk;
    private readonly List<Answer> _answers = [];
    private byte[] _rest = [];
    private int _restLength;
    private bool _isTorn;
    private bool _isLast;

    public RecordAnswers(Talk talk)
    {
        _talk = talk;
        CountBegun(talk.Bytes.Written);
    }

    public string? Error { get; private set; }

    public bool HasAll => _talk.Scripts.TrueForAll(static script => script.Answers > 0);

    public void Read(ReadOnlySpan<byte> bytes)
    {
        if (_restLength > 0)
        {
            AddRest(bytes);
            var used = Cut(_rest.AsSpan(0, _restLength));
            if (used > 0)
            {
                _rest.AsSpan(used, _restLength - used).CopyTo(_rest);
                _restLength -= used;
            }

            return;
        }

        AddRest(bytes[Cut(bytes)..]);
    }

    public int AnswersTo(int id) => Find(id)?.Ends ?? 0;

    public string? Judge(bool peerStayed)
    {
        if (!_talk.IsClean || !peerStayed)
        {
            return null;
        }

        if (_answers.Find(static answer => answer.AwaitsLastRecord) is { } open && !IsAborted(open))
        {
            return $"no end of STDOUT to id {open.Id}";
        }

        if (!_isTorn && _talk.MustTellOfBreaks
            && _answers.Exists(static answer => answer is { HasHead: true, StdoutHasEnded: false }))
        {
            return "half an answer without the sign of a break";
        }

        // A slow peer may leave when it has its answers, with a management record half read.
        if (_restLength > 0 && !_talk.MayEndEarly && _talk.Window == int.MaxValue)
        {
            return "the server closed inside a record";
        }

        return _talk.MayEndEarly ? null : _talk.Scripts
            .Where(static script => script.Answers != 1)
            .Select(static script => $"{script.Answers} answers to {script}")
            .FirstOrDefault();
    }

    private void AddRest(ReadOnlySpan<byte> bytes)
    {
        if (_restLength + bytes.Length > _rest.Length)
        {
            Array.Resize(ref _rest, Math.Max(256, 2 * (_restLength + bytes.Length)));
        }

        bytes.CopyTo(_rest.AsSpan(_restLength));
        _restLength += bytes.Length;
    }

    /// <summary>Reads whole records; how many bytes they are.</summary>
    private int Cut(ReadOnlySpan<byte> bytes)
    {
        var start = 0;
        while (bytes.Length - start >= 8)
        {
            var header = bytes.Slice(start, 8);
            var length = (header[4] << 8) | header[5];
            var size = 8 + length + header[6];
            if (bytes.Length - start < size)
            {
                break;
            }

            if (OnRecord(header, bytes.Slice(start + 8, length)) is { } error)
            {
                Error ??= $"{error}; record {Convert.ToHexString(header)}";
            }

            start += size;
        }

        return start;
    }

    private string? OnRecord(ReadOnlySpan<byte> header, ReadOnlySpan<byte> content)
    {
        if (_isTorn || _isLast)
        {
            return "bytes behind the last record";
        }

        if (header.SequenceEqual(new byte[8]))
        {
            _isTorn = true;
            return _talk.MayEndEarly ? null : "a break that nobody caused";
        }

        if (header[0] != 1 || header[7] != 0)
        {
            return "not a record";
        }

        var id = (header[2] << 8) | header[3];
        if (header[1] is 10 or 11)
        {
            return id == 0 ? null : "a management record with an id";
        }

        return Find(id) is not { } answer ? "an id that was never begun" : header[1] switch
        {
            3 => OnEnd(answer, content),
            6 => OnStdout(answer, content),
            _ => "a type that a server does not send",
        };
    }

    private string? OnStdout(Answer answer, ReadOnlySpan<byte> content)
    {
        if (answer.AwaitsLastRecord && content.IsEmpty)
        {
            answer.AwaitsLastRecord = false;
            _isLast = true;
            return null;
        }

        if (answer.Ends >= answer.Begun)
        {
            return "STDOUT behind the last END_REQUEST";
        }

        if (answer.StdoutHasEnded)
        {
            return "STDOUT behind its end";
        }

        if (content.IsEmpty)
        {
            answer.EndStdout();
            return answer.HasHead ? null : "the end of an answer that did not begin";
        }

        if (!answer.HasHead)
        {
            if (AnswerHead.Read(content, _talk, out var head) is { } error)
            {
                return error;
            }

            answer.Begin(head.Status, head.Script);
            content = content[head.Length..];
        }

        return OnBody(answer, content);
    }

    private string? OnBody(Answer answer, ReadOnlySpan<byte> content)
    {
        var position = answer.Length;
        answer.Count(content.Length);
        if (answer.Script is not { } script)
        {
            return null;
        }

        // What came in the place of a body or a method that was made wrong, only the application knows.
        var isKnown = !script.IsWild && (_talk.IsClean || script is { Reads: not Reading.Echo, IsHead: false });
        return isKnown && !script.IsOfAnswer(content, position)
            ? $"bytes from {position} on that are not those of {script}"
            : null;
    }

    private string? OnEnd(Answer answer, ReadOnlySpan<byte> content)
    {
        var isHeard = answer.HasHead;
        var (status, script, length, ended) = (answer.Status, answer.Script, answer.Length, answer.StdoutHasEnded);
        answer.End();
        answer.AwaitsLastRecord = isHeard && !ended;
        if (content.Length != 8 || content[4] > 3)
        {
            return "a wrong END_REQUEST";
        }

        if (answer.Ends > answer.Begun)
        {
            return $"END_REQUEST {answer.Ends} to {answer.Begun} requests";
        }

        if (!_talk.IsClean)
        {
            return null;
        }

        var request = NthOf(answer.Id, answer.Ends);
        request.Answers++;
        if (request.IsAborted || request.IsWild)
        {
            return null;
        }

        if (!isHeard || (script is not null && script != request))
        {
            return $"no whole answer to {request}";
        }

        if (_talk.MayEndEarly && script is null && status == 503)
        {
            // A connection that takes no further request refuses it while another one runs.
            return null;
        }

        if (request.MustFail)
        {
            return script is null && status == 500 ? null : $"status {status} to {request}";
        }

        return script is not null && status == 200 && length == script.AnswerLength
            ? null
            : request.MayTear ? null : $"status {status}, {length} bytes, to {request}";
    }

    private bool IsAborted(Answer answer) =>
        _talk.MayEndEarly || _talk.Scripts.Exists(script => script.Id == answer.Id && script.IsAborted);

    private Script NthOf(int id, int number) =>
        _talk.Scripts.Where(script => script.Id == id).ElementAt(number - 1);

    private Answer? Find(int id)
    {
        foreach (var answer in _answers)
        {
            if (answer.Id == id)
            {
                return answer;
            }
        }

        return null;
    }

    /// <summary>No id has more answers than BEGIN_REQUESTs, however wrong the rest is.</summary>
    private void CountBegun(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length >= 8 && bytes[0] == 1)
        {
            var id = (bytes[2] << 8) | bytes[3];
            if (bytes[1] == 1)
            {
                var answer = Find(id);
                if (answer is null)
                {
                    answer = new Answer(id);
                    _answers.Add(answer);
                }

                answer.Begun++;
            }

            bytes = bytes[Math.Min(bytes.Length, 8 + ((bytes[4] << 8) | bytes[5]) + bytes[6])..];
        }
    }
}
