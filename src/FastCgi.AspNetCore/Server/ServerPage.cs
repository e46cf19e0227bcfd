namespace FastCgi.AspNetCore.Server;

/// <summary>One page of the server itself.</summary>
internal sealed class ServerPage(Func<string, ServerAnswer> answer)
{
    /// <summary>A page that is always the same.</summary>
    public static ServerPage Fixed(int statusCode, string text)
    {
        var answer = ServerAnswer.Text(statusCode, text);
        return new ServerPage(_ => answer);
    }

    /// <summary>The answer. Called without any lock.</summary>
    /// <param name="query">With its question mark, undecoded; or empty.</param>
    public ServerAnswer Answer(string query) => answer(query);
}
