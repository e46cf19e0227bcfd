using FastCgi.AspNetCore.Files;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>The response as the sender of a file sees it.</summary>
internal interface IFileResponse : IResponseBody
{
    /// <summary>Something of a body was written, or the head is.</summary>
    bool HasContent { get; }

    /// <summary>The file that the web server sends as the body; null for none. Set before the start.</summary>
    HandedOverFile? HandedOver { get; set; }

    /// <summary>Runs OnStarting before the head is judged: callbacks may change it, or write.</summary>
    ValueTask RunCallbacksAsync();

    /// <summary>The exception of a write behind the end of the body.</summary>
    InvalidOperationException Completed() => new(HandedOver is not null
        ? "The response body cannot be written: the web server sends the file, and nothing behind it."
        : "The response body cannot be written: its writer was completed.");
}
