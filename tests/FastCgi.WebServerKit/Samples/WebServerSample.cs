namespace FastCgi.WebServerKit.Samples;

/// <summary>The documented configuration of one web server, and the changes that its comments describe.</summary>
internal abstract class WebServerSample
{
    protected const string DocumentedSocket = "/run/app/app.sock";
    protected const string DocumentedTcp = "127.0.0.1:9000";

    public abstract IWebServerProgram Program { get; }

    /// <param name="listening">Where to listen.</param>
    /// <param name="reach">How to come to the application.</param>
    /// <param name="mount">Where the application is mounted.</param>
    /// <returns>What <see cref="IWebServerProgram.Configure"/> takes as the site.</returns>
    public abstract string Write(SampleListening listening, SampleReach reach, SampleMount mount);
}
