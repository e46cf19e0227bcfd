namespace FastCgi.AspNetCore.Server;

/// <summary>Short ids that are unique in the process and do not repeat after a restart.</summary>
internal static class ConnectionIds
{
    private const string Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUV";

    private static long s_last = Random.Shared.NextInt64();

    public static string Next() => string.Create(13, Interlocked.Increment(ref s_last), static (span, id) =>
    {
        for (int i = span.Length - 1; i >= 0; i--, id >>>= 5)
        {
            span[i] = Digits[(int)(id & 31)];
        }
    });
}
