using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Status;

/// <summary>A page that is always the same.</summary>
internal sealed class FixedPage(int statusCode, string text) : ServerPage
{
    private readonly ServerAnswer _answer = ServerAnswer.Text(statusCode, text);

    public override ServerAnswer Answer(string query) => _answer;
}
