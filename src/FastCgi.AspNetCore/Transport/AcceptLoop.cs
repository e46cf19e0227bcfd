namespace FastCgi.AspNetCore.Transport;

/// <summary>Takes connections off one listening socket, from its start until its stop.</summary>
internal abstract class AcceptLoop
{
    /// <summary>Begins to accept. Called once.</summary>
    public abstract void Start();

    /// <summary>
    /// Nothing is accepted any more when the task has completed; the listening socket is open until then. Called once.
    /// </summary>
    public abstract Task StopAsync();
}
