using System.Text;

namespace FastCgi.FuzzTests.Model;

/// <summary>
/// The records that come back on one connection: well-formed, of ids that were begun, one END_REQUEST for each, and
/// every byte of a body the one that its own application wrote.
/// </summary>
internal sealed class RecordAnswers(Conversation conversation, ConversationModel model) : Answers(conversation, model)
{
    private readonly List<Answer> _answers = [];
    private readonly ByteWriter _rest = new();
    private int _management;
    private int _ends;
    private bool _isTorn;
    private bool _isLast;

    /// <summary>Of a conversation that is wrong, what is certain.</summary>
    public override bool HasAll => !_answers.Exists(IsOpen)
        && (Conversation.IsClean ? _ends >= Model.Requests.Count && HasAllManagement : HasCertain);

    public override bool HasCertain => HasAllManagement && Model.Requests.TrueForAll(
        request => !request.IsCertain || AnswersTo(request.Id) >= CertainOf(request.Id));

    private bool HasAllManagement => _management >= Model.LeastManagement;

    protected override void OnRead(ReadOnlySpan<byte> bytes)
    {
        if (_rest.Length == 0)
        {
            _rest.Add(bytes[Cut(bytes)..]);
            return;
        }

        _rest.Add(bytes);
        _rest.RemoveStart(Cut(_rest.Written));
    }

    public override int AnswersTo(int id) => Find(id)?.Ends ?? 0;

    public override string? Judge(bool stayed, bool mayCutRecord, bool mayCutAnswer)
    {
        if (_management > Model.MostManagement)
        {
            return $"{_management} management answers, not {Model.MostManagement} at the most";
        }

        if (_answers.Select(OnBroken).FirstOrDefault(static error => error is not null) is { } broken)
        {
            return broken;
        }

        if (!stayed)
        {
            return null;
        }

        if (_rest.Length > 0 && !mayCutRecord && !Model.MayBeDropped)
        {
            return "the server closed inside a record";
        }

        if (!Model.MayBeDropped && _answers.Find(IsOpen) is { } open)
        {
            return $"no end of STDOUT to id {open.Id}";
        }

        // A break tells of itself, since nobody but an application that aborts ends the connection.
        if (Conversation.IsClean && !_isTorn && !Model.IsStopped && !mayCutAnswer
            && !Conversation.Scripts.Exists(static script => script.Fails == Failing.Abort)
            && _answers.Exists(static answer => answer is { Head: not null, StdoutHasEnded: false }))
        {
            return "half an answer without the sign of a break";
        }

        foreach (var request in Model.Requests.Where(static request => request.IsCertain))
        {
            if (AnswersTo(request.Id) < CertainOf(request.Id) || (request.MustBeServed && !request.IsAnswered))
            {
                return $"{AnswersTo(request.Id)} answers to {CertainOf(request.Id)} requests of id {request.Id}, "
                    + $"{(request.IsAnswered ? "one" : "none")} to {request.Script}";
            }
        }

        return HasAllManagement ? null : $"{_management} management answers, not {Model.LeastManagement}";
    }

    private int CertainOf(int id) => Model.Requests.Count(request => request.Id == id && request.IsCertain);

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
            return Model.MayTear || Model.MayBeDropped ? null : "a break that nobody caused";
        }

        if (header[0] != 1 || header[7] != 0)
        {
            return "not a record";
        }

        var id = (header[2] << 8) | header[3];
        if (header[1] is WireRecord.GetValuesResult or WireRecord.UnknownType)
        {
            _management++;
            return id == 0 ? null : "a management record with an id";
        }

        return Find(id) is not { } answer ? "an id that was never begun" : header[1] switch
        {
            WireRecord.EndRequest => OnEnd(answer, content),
            WireRecord.Stdout => OnStdout(answer, content),
            WireRecord.Stderr when content.IsEmpty && id == 1 => OnCloseHint(answer),
            _ => "a type that a server does not send",
        };
    }

    /// <summary>nginx is asked to close the connection, in a stop or after a long pause, while it reads no answer.</summary>
    private static string? OnCloseHint(Answer answer) =>
        answer.Head is null ? null : "nginx is asked to close inside an answer";

    private string? OnStdout(Answer answer, ReadOnlySpan<byte> content)
    {
        if (answer.AwaitsLastRecord && content.IsEmpty)
        {
            answer.AwaitsLastRecord = false;
            _isLast = true;
            return null;
        }

        if (answer.Ends >= answer.Requests.Count)
        {
            return "STDOUT behind the last END_REQUEST";
        }

        if (answer.StdoutHasEnded)
        {
            return "STDOUT behind its end";
        }

        if (content.IsEmpty)
        {
            answer.StdoutHasEnded = true;
            return answer.Head is not null ? null : "the end of an answer that did not begin";
        }

        if (answer.Head is null)
        {
            if (AnswerHead.Read(content, Conversation, out var head) is { } error)
            {
                return error;
            }

            if (IsOpen(answer))
            {
                return "no end of STDOUT";
            }

            answer.AwaitsLastRecord = false;
            answer.Head = head;
            content = content[head!.Length..];
        }

        answer.Body.Add(content);
        return null;
    }

    private string? OnEnd(Answer answer, ReadOnlySpan<byte> content)
    {
        if (content.Length != 8 || content[4] > 3)
        {
            return "a wrong END_REQUEST";
        }

        if (answer.Ends >= answer.Requests.Count)
        {
            return $"END_REQUEST {answer.Ends + 1} to {answer.Requests.Count} requests";
        }

        var error = Conversation.IsClean
            ? OnNth(answer.Requests[answer.Ends], answer)
            : OnToken(answer, isEnded: true);
        answer.AwaitsLastRecord = answer is { Head: not null, StdoutHasEnded: false };
        answer.End();
        _ends++;
        return error;
    }

    /// <summary>Nothing is wrong, so the requests of an id are answered in their order.</summary>
    private string? OnNth(ModelRequest request, Answer answer)
    {
        request.IsAnswered = true;
        if (request.IsRefused)
        {
            return answer.Head?.Script is null ? null : $"an application answers to {request.Script}";
        }

        if (request.Script is null or { IsWild: true })
        {
            // Without a script it was aborted among its params.
            return null;
        }

        if (answer.Head is not { } head)
        {
            return request.IsAborted ? null : $"no whole answer to {request.Script}";
        }

        if (head.Script is null)
        {
            // A connection that takes no further request refuses it while another one runs.
            var isRefused = head.Status == 503 && (Model.IsUncertain || Model.MayBeDropped);
            return request.IsAborted || request.Script.MayTear || isRefused || head.Status == request.ErrorStatus
                ? null
                : $"status {head.Status} to {request.Script}";
        }

        if (head.Script != request.Script || !request.IsOfAnswer(answer.Body.Written))
        {
            return $"bytes that are not those of {request.Script}";
        }

        return request.IsAborted || request.Script.MayTear || (request.ErrorStatus is null && IsWhole(request, answer))
            ? null
            : $"status {head.Status}, {answer.Body.Length} bytes, to {request.Script}";
    }

    /// <summary>Something is wrong: the token tells to whom this is the answer.</summary>
    private string? OnToken(Answer answer, bool isEnded)
    {
        if (answer.Head?.Script is not { IsWild: false } script)
        {
            return null;
        }

        var isStray = answer.Requests.Exists(static request => request.IsStray);
        var candidates = answer.Requests.FindAll(request => request.Script == script);
        if (candidates.Count == 0)
        {
            return isStray ? null : $"the answer belongs to {script}, which was never sent with id {answer.Id}";
        }

        var exact = candidates.FindAll(request =>
            request.IsOfAnswer(answer.Body.Written) && (!isEnded || IsWhole(request, answer)));
        if (exact.Count > 0)
        {
            if (isEnded)
            {
                // Records that were sent twice make two requests of one script: one of them waits.
                (candidates.Find(static request => request is { MustBeServed: true, IsAnswered: false }) ?? exact[0])
                    .IsAnswered = true;
            }

            return null;
        }

        // Cut short is right only for whom nobody waits.
        return isStray || candidates.Exists(request =>
                (request.IsAborted || script.MayTear) && request.IsOfAnswer(answer.Body.Written))
            ? null
            : $"{answer.Body.Length} bytes that are not those of {script}: "
                + Encoding.Latin1.GetString(answer.Body.Written[..Math.Min(80, answer.Body.Length)]);
    }

    /// <summary>What the connection took with it.</summary>
    private string? OnBroken(Answer answer) => answer.Head?.Script is { IsWild: false } script
        && answer.Ends < answer.Requests.Count
        && (Conversation.IsClean
            ? answer.Requests[answer.Ends] is var request
                && (request.Script != script || !request.IsOfAnswer(answer.Body.Written))
            : OnToken(answer, isEnded: false) is not null)
                ? $"the broken answer of id {answer.Id} is not that of {script}"
                : null;

    private static bool IsWhole(ModelRequest request, Answer answer) =>
        answer.Head!.Status == 200
        && answer.Body.Length == request.AnswerLength
        && (answer.Head.BodyMark is not { } mark || mark == BodyMark.Of(request.Script!.Method, request.Body));

    /// <summary>END_REQUEST has come and the end of STDOUT has not, though nobody aborted.</summary>
    private static bool IsOpen(Answer answer) =>
        answer.AwaitsLastRecord && !answer.Requests.Exists(static request => request.IsAborted);

    private Answer? Find(int id)
    {
        foreach (var known in _answers)
        {
            if (known.Id == id)
            {
                return known;
            }
        }

        if (!Model.Requests.Exists(request => request.Id == id))
        {
            return null;
        }

        var answer = new Answer(id, Model);
        _answers.Add(answer);
        return answer;
    }

    /// <summary>What came back to one id, and whose answer it is at present.</summary>
    private sealed class Answer(int id, ConversationModel model)
    {
        private List<ModelRequest>? _all;
        private List<ModelRequest> _requests = [];

        public int Id => id;

        /// <summary>Requests that may have been begun with this id. A stop of the server may make them more.</summary>
        public List<ModelRequest> Requests
        {
            get
            {
                if (_all != model.Requests)
                {
                    _all = model.Requests;
                    _requests = _all.FindAll(request => request.Id == id);
                }

                return _requests;
            }
        }

        /// <summary>END_REQUESTs so far.</summary>
        public int Ends { get; private set; }

        /// <summary>The head of a response has come, and no END_REQUEST behind it.</summary>
        public AnswerHead? Head { get; set; }

        public ByteWriter Body { get; } = new();

        public bool StdoutHasEnded { get; set; }

        /// <summary>
        /// END_REQUEST came in front of the end of STDOUT, which follows: so the server tells nginx that it closes.
        /// </summary>
        public bool AwaitsLastRecord { get; set; }

        public void End()
        {
            Ends++;
            Head = null;
            StdoutHasEnded = false;
            Body.Clear();
        }
    }
}
