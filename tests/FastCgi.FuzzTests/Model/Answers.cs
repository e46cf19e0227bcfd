namespace FastCgi.FuzzTests.Model;

/// <summary>Reads what comes back on one connection, and judges it by the model.</summary>
internal abstract class Answers(Conversation conversation, ConversationModel model)
{
    /// <summary>The first thing that was wrong; null for nothing.</summary>
    public string? Error { get; protected set; }

    /// <summary>Nothing more has to come in front of the peer's close.</summary>
    public abstract bool HasAll { get; }

    /// <summary>All that has to come has come.</summary>
    public abstract bool HasCertain { get; }

    protected Conversation Conversation => conversation;

    protected ConversationModel Model => model;

    public static Answers To(Conversation conversation, ConversationModel model) => conversation.IsScgi
        ? new PlainAnswer(conversation, model)
        : new RecordAnswers(conversation, model);

    public void Read(ReadOnlySpan<byte> bytes)
    {
        if (!conversation.IsForeign)
        {
            OnRead(bytes);
        }
    }

    /// <summary>Answers to an id that have ended.</summary>
    public abstract int AnswersTo(int id);

    /// <summary>The connection is closed: what was wrong, or null.</summary>
    /// <param name="stayed">The peer has read to the end, and made no pause that may end a body.</param>
    /// <param name="mayCutRecord">The end of the connection may cut a record.</param>
    /// <param name="mayCutAnswer">The peer may have left in the middle of an answer.</param>
    public abstract string? Judge(bool stayed, bool mayCutRecord, bool mayCutAnswer);

    protected abstract void OnRead(ReadOnlySpan<byte> bytes);
}
