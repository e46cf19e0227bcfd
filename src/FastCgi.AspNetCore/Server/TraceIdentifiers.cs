using System.Globalization;

namespace FastCgi.AspNetCore.Server;

/// <summary>
/// Ids of the form that Kestrel's users know from their logs: connection id, colon, number in hexadecimal.
/// </summary>
internal static class TraceIdentifiers
{
    public static string Create(string connectionId, uint number) => string.Create(
        connectionId.Length + 9,
        (connectionId, number),
        static (span, state) =>
        {
            state.connectionId.CopyTo(span);
            span[state.connectionId.Length] = ':';
            state.number.TryFormat(span[(state.connectionId.Length + 1)..], out _, "X8", CultureInfo.InvariantCulture);
        });
}
