namespace FastCgi.SampleTests.Wave;

/// <summary>The Wave sample, however it is served.</summary>
public interface IWaveSite
{
    HttpClient Client { get; }

    /// <summary>What its page says of the server.</summary>
    string Server { get; }
}
