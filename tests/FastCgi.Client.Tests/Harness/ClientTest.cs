namespace FastCgi.Client.Tests.Harness;

/// <summary>A test of a client with the usual options, and of its application.</summary>
public abstract class ClientTest : IDisposable
{
    private protected ScriptedApplication Application { get; } = new();

    public void Dispose() => Application.Dispose();
}
