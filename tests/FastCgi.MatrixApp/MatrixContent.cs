namespace FastCgi.MatrixApp;

/// <summary>What the application sends, so that a test knows what must arrive.</summary>
internal static class MatrixContent
{
    public const int Pieces = 4;
    public const int FileLength = 2000;

    /// <summary>Twelve thousand bytes: more than web servers take by default, less than the largest head that all take.</summary>
    public const int LargeHeadLines = 4;

    public const int DownloadPiece = 64 * 1024;

    public static string LargeHeadLine { get; } = new('h', 3000);

    public static DateTimeOffset FileDate { get; } = new(2026, 1, 2, 3, 4, 5, TimeSpan.Zero);

    /// <summary>Bytes of which a block that is lost, doubled or moved shows.</summary>
    public static byte[] Bytes(int length)
    {
        var bytes = new byte[length];
        for (var i = 0; i < length; i++)
        {
            bytes[i] = (byte)(i * 31 + (i >> 8) * 7 + (i >> 16));
        }

        return bytes;
    }
}
