namespace FastCgi.FuzzTests.Model;

/// <summary>What comes back over SCGI: one answer without any frame, which the close of the connection ends.</summary>
internal sealed class PlainAnswer(Conversation conversation, ConversationModel model) : Answers(conversation, model)
{
    private readonly ByteWriter _received = new();
    private AnswerHead? _head;

    /// <summary>An answer has no end but the connection's, except for what comes back of an upgraded stream.</summary>
    public override bool HasAll => !Conversation.IsClean
        || (Request.Script!.IsUpgrade && _head is not null && Body.Length >= Request.AnswerLength);

    public override bool HasCertain => !Request.IsCertain || HasAll;

    private ModelRequest Request => Model.Requests[0];

    private ReadOnlySpan<byte> Body => _received.Written[_head!.Length..];

    protected override void OnRead(ReadOnlySpan<byte> bytes)
    {
        _received.Add(bytes);
        if (_head is null && _received.Written.IndexOf("\r\n\r\n"u8) >= 0)
        {
            Error ??= AnswerHead.Read(_received.Written, Conversation, out _head);
        }
    }

    /// <summary>Its head counts, which may let an upgrade go on.</summary>
    public override int AnswersTo(int id) => _head is null ? 0 : 1;

    public override string? Judge(bool stayed, bool mayCutRecord, bool mayCutAnswer)
    {
        if (_head?.Script is { IsWild: false } script && Conversation.IsClean && !Request.IsOfAnswer(Body))
        {
            return $"bytes that are not those of {script}";
        }

        if (!stayed || !Request.IsCertain)
        {
            return null;
        }

        if (_head is null)
        {
            return $"no answer to {Request.Script}";
        }

        return _head.Status == (Request.ErrorStatus ?? (Request.Script!.IsUpgrade ? 101 : 200))
            && (Request.ErrorStatus is not null || Body.Length == Request.AnswerLength)
                ? null
                : $"status {_head.Status}, {Body.Length} bytes, to {Request.Script}";
    }
}
