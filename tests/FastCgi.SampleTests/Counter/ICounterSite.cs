namespace FastCgi.SampleTests.Counter;

/// <summary>The Counter sample, however it is served.</summary>
public interface ICounterSite
{
    HttpClient Client { get; }
}
