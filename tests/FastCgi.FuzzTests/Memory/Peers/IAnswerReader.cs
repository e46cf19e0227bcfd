namespace FastCgi.FuzzTests.Memory.Peers;

/// <summary>Reads what comes back, and says at once what cannot be right.</summary>
internal interface IAnswerReader
{
    /// <summary>The first thing that was wrong; null for nothing.</summary>
    string? Error { get; }

    void Read(ReadOnlySpan<byte> bytes);

    /// <summary>Answers to an id that have ended.</summary>
    int AnswersTo(int id);

    /// <summary>Nothing more has to come in front of the peer's close.</summary>
    bool HasAll { get; }

    /// <summary>The connection is closed: what should have come, or null.</summary>
    string? Judge(bool peerStayed);
}
