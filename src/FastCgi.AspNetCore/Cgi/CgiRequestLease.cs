namespace FastCgi.AspNetCore.Cgi;

/// <summary>The right to read a request's params. Ends with the request, because the next one reuses them.</summary>
/// <remarks>
/// An application may read on another thread while its request ends. Then the params may change during the read, so its
/// result or failure is dropped. The application gets an <see cref="ObjectDisposedException"/>.
/// </remarks>
internal sealed class CgiRequestLease(CgiRequest request)
{
    private volatile CgiRequest? _request = request;

    public bool IsOver => _request is null;

    /// <summary>For uses that do not read the params.</summary>
    /// <exception cref="ObjectDisposedException">The request has ended.</exception>
    public CgiRequest Request => _request ?? throw RequestIsOver();

    /// <exception cref="ObjectDisposedException">The request has ended, before or during the read.</exception>
    public T Read<T>(Func<CgiRequest, T> read)
        where T : allows ref struct
    {
        var request = Request;
        try
        {
            var value = read(request);
            ThrowIfOver();
            return value;
        }
        catch (Exception exception) when (IsLate(exception))
        {
            throw RequestIsOver(exception);
        }
    }

    public T Read<T, TState>(Func<CgiRequest, TState, T> read, TState state)
        where T : allows ref struct
    {
        var request = Request;
        try
        {
            var value = read(request, state);
            ThrowIfOver();
            return value;
        }
        catch (Exception exception) when (IsLate(exception))
        {
            throw RequestIsOver(exception);
        }
    }

    /// <exception cref="ObjectDisposedException">The request has ended.</exception>
    public void ThrowIfOver()
    {
        if (IsOver)
        {
            throw RequestIsOver();
        }
    }

    /// <summary>Ends the lease with the request. Every later use throws.</summary>
    public void End() => _request = null;

    private bool IsLate(Exception exception) => IsOver && exception is not ObjectDisposedException;

    private static ObjectDisposedException RequestIsOver(Exception? cause = null) =>
        new("The request has ended. Read what you need of its HttpContext before that.", cause);
}
