namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>Those who waited for what has just happened to a body. They are told when its lock is free.</summary>
internal struct BodyAftermath
{
    /// <summary>The body is settled.</summary>
    public IBodyObserver? Observer;

    /// <summary>The socket is read again.</summary>
    public IBodySource? Source;

    /// <summary>The read that waited has a result.</summary>
    public IBodyReading? Woken;
}
