using FastCgi.FuzzTests.Memory.Talks;

namespace FastCgi.FuzzTests.Memory.Peers;

/// <summary>What came back to one id, and whose answer it is at present.</summary>
internal sealed class Answer(int id)
{
    public int Id => id;

    /// <summary>Requests that may have been begun with this id.</summary>
    public int Begun { get; set; }

    /// <summary>END_REQUESTs so far.</summary>
    public int Ends { get; private set; }

    /// <summary>The head of a response has come, and no END_REQUEST behind it.</summary>
    public bool HasHead { get; private set; }

    public bool StdoutHasEnded { get; private set; }

    /// <summary>
    /// END_REQUEST came in front of the end of STDOUT, which follows: so the server tells nginx that it closes.
    /// </summary>
    public bool AwaitsLastRecord { get; set; }

    public int Status { get; private set; }

    /// <summary>Null where the server answered for itself.</summary>
    public Script? Script { get; private set; }

    /// <summary>Bytes of the body so far.</summary>
    public int Length { get; private set; }

    public void Begin(int status, Script? script)
    {
        HasHead = true;
        AwaitsLastRecord = false;
        Status = status;
        Script = script;
        Length = 0;
    }

    public void Count(int bytes) => Length += bytes;

    public void EndStdout() => StdoutHasEnded = true;

    public void End()
    {
        Ends++;
        HasHead = StdoutHasEnded = false;
        Script = null;
        Length = 0;
    }
}
