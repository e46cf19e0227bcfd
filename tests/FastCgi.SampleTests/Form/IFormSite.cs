namespace FastCgi.SampleTests.Form;

/// <summary>The Form sample, however it is served.</summary>
public interface IFormSite
{
    HttpClient Client { get; }

    /// <summary>What its page shows as the client's address.</summary>
    string ClientAddress { get; }
}
