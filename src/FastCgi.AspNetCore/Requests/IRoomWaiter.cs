namespace FastCgi.AspNetCore.Requests;

/// <summary>Waits until the socket has taken enough of what was sent.</summary>
internal interface IRoomWaiter
{
    /// <summary>There is room, or the socket is lost. Called once for each wait, on any thread.</summary>
    void OnRoom();
}
