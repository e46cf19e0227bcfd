namespace FastCgi.FuzzTests.Conversations;

/// <summary>How often a conversation has each peculiarity: once in so many chances.</summary>
/// <param name="IsHeavy">Bodies are long enough to fill the buffers of a socket.</param>
/// <param name="MostRounds">Requests one after the other.</param>
/// <param name="SideBySideOnceIn">Several requests at a time.</param>
/// <param name="ManagementOnceIn">Records of id 0 beside them.</param>
/// <param name="AbortOnceIn">The peer aborts a request.</param>
/// <param name="AnyReadingOnceIn">The application may leave the body, or some of it, unread.</param>
/// <param name="KeepsOnceIn">The application keeps objects of the request, and uses them when it is over.</param>
/// <param name="KeptUses">In how many ways: most of them throw, and exceptions are what costs in memory.</param>
/// <param name="ValidOfTwelve">So many conversations of twelve stay valid: there every answer is known.</param>
internal sealed record Odds(
    bool IsHeavy,
    int MostRounds,
    int SideBySideOnceIn,
    int ManagementOnceIn,
    int AbortOnceIn,
    int AnyReadingOnceIn,
    int KeepsOnceIn,
    int KeptUses,
    int ValidOfTwelve)
{
    /// <summary>Small ones, so that tens of thousands a second can differ in their steps.</summary>
    public static Odds Memory { get; } = new(
        IsHeavy: false, MostRounds: 3, SideBySideOnceIn: 6, ManagementOnceIn: 24, AbortOnceIn: 40,
        AnyReadingOnceIn: 1, KeepsOnceIn: 300, KeptUses: 5, ValidOfTwelve: 9);

    /// <summary>As much as possible in each, since a socket takes a millisecond.</summary>
    public static Odds Sockets { get; } = new(
        IsHeavy: true, MostRounds: 4, SideBySideOnceIn: 4, ManagementOnceIn: 4, AbortOnceIn: 6,
        AnyReadingOnceIn: 6, KeepsOnceIn: 4, KeptUses: int.MaxValue, ValidOfTwelve: 4);
}
