namespace FastCgi.AspNetCore.Server;

/// <summary>One page of the server itself.</summary>
internal abstract class ServerPage
{
    /// <summary>The answer. Called without any lock.</summary>
    /// <param name="query">With its question mark, undecoded; or empty.</param>
    public abstract ServerAnswer Answer(string query);
}
