namespace FastCgi.FuzzTests.Harness;

/// <summary>What becomes of a request of the storm, decided by the peer that sends it.</summary>
public enum Fate
{
    /// <summary>Sent whole by a peer that reads the answer: one run of the application, status 200.</summary>
    Served,

    /// <summary>
    /// The application waits for body that never comes, because of an abort or the end of the input: one run, status
    /// 499.
    /// </summary>
    Unfinished,

    /// <summary>Sent whole and aborted with the next record: one run, and nobody knows whether it ended before.</summary>
    Raced,

    /// <summary>
    /// Its peer resets the connection, or closes it without having read anything, or on TCP has no more to send: the
    /// kernel may throw away what the server has not received, and the server may what it has. One run or none.
    /// </summary>
    Abandoned,
}

/// <summary>Each fate has a method of its own: that is how the metrics of requests tell them apart.</summary>
public static class Fates
{
    public static string Method(this Fate fate) => fate switch
    {
        Fate.Served => "POST",
        Fate.Unfinished => "PUT",
        Fate.Raced => "PATCH",
        _ => "DELETE",
    };
}
