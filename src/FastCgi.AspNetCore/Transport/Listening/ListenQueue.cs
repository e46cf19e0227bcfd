namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>The queue of a listening socket.</summary>
/// <param name="Waiting">Connections that wait to be accepted.</param>
/// <param name="Length">How many can wait.</param>
internal readonly record struct ListenQueue(int Waiting, int Length);
