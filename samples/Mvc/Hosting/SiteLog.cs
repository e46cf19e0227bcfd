using System.Net;

namespace MvcSample.Hosting;

/// <summary>The lines of the log that an operator looks for.</summary>
internal static partial class SiteLog
{
    [LoggerMessage(1, LogLevel.Information, "{User} signed in from {Address}.")]
    public static partial void SignedIn(this ILogger logger, string user, IPAddress? address);

    /// <summary>Without the name: people type their password there by mistake.</summary>
    [LoggerMessage(2, LogLevel.Warning, "A sign-in from {Address} failed.")]
    public static partial void SignInFailed(this ILogger logger, IPAddress? address);

    [LoggerMessage(3, LogLevel.Warning, "{Address} sends too much: a request was refused.")]
    public static partial void TooFast(this ILogger logger, IPAddress? address);

    [LoggerMessage(4, LogLevel.Information, "{User} uploaded {File}, {Length} bytes.")]
    public static partial void Uploaded(this ILogger logger, string? user, string file, long length);

    [LoggerMessage(5, LogLevel.Warning, "An upload of {User} was refused: it has {Length} bytes.")]
    public static partial void UploadRefused(this ILogger logger, string? user, long length);

    [LoggerMessage(6, LogLevel.Information, "{User} deleted the file {File}.")]
    public static partial void FileDeleted(this ILogger logger, string? user, string file);

    [LoggerMessage(7, LogLevel.Information, "{User} deleted note {Id}.")]
    public static partial void NoteDeleted(this ILogger logger, string? user, int id);
}
