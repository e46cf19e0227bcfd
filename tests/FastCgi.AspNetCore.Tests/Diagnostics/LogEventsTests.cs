namespace FastCgi.AspNetCore.Tests.Diagnostics;

public class LogEventsTests
{
    private static readonly Dictionary<string, int> s_events = typeof(LogEvents).GetFields()
        .ToDictionary(field => field.Name, field => (int)field.GetRawConstantValue()!);

    private static readonly List<(string Place, string Name, LoggerMessageAttribute Message)> s_messages =
    [
        .. from type in typeof(LogEvents).Assembly.GetTypes()
           from method in type.GetMethods(BindingFlags.DeclaredOnly | BindingFlags.Static | BindingFlags.Instance
               | BindingFlags.Public | BindingFlags.NonPublic)
           let message = method.GetCustomAttribute<LoggerMessageAttribute>()
           where message is not null
           select ($"{type.Name}.{method.Name}", message.EventName ?? method.Name, message),
    ];

    [Fact]
    public void No_two_events_have_one_id() =>
        Assert.Empty(s_events.GroupBy(pair => pair.Value).Where(group => group.Count() > 1)
            .Select(group => $"{group.Key}: {string.Join(", ", group.Select(pair => pair.Key))}"));

    [Fact]
    public void Every_message_has_the_id_and_the_name_of_an_event_of_the_table()
    {
        Assert.True(s_messages.Count > 20, "The messages were not found.");
        Assert.All(s_messages, message => Assert.True(
            s_events.GetValueOrDefault(message.Name) == message.Message.EventId,
            $"{message.Place} has the id {message.Message.EventId} and the name {message.Name}."));
    }
}
